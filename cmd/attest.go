package cmd

import (
	"cmp"
	"context"
	"crypto"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/cmd/internal/userkey"
	"github.com/planlock/planlock/envelope/attest"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/ledger"
)

// attestCommand is "planlock attest": it verifies a run that has ended, says what
// it did in an in-toto statement, or in a layout and links, and signs that with a
// key of the user, or with the one that is named.
type attestCommand struct {
	arguments
	workspaceFlag
	Key    string `placeholder:"KEY" help:"the key that signs: a file (PKCS #8 in PEM), or the name of a key of yours; else the one that signs your runs"`
	Signer string `placeholder:"PROGRAM" help:"a program that signs, in place of a file: it gets on standard input what is to be signed (with a P-256 key its SHA-256) and prints the signature; --key is then the public key, a file"`
	Type   string `enum:",run,provenance,test-result" default:"" placeholder:"TYPE" help:"what is said: run (all of it), provenance (SLSA) or test-result; run by default"`
	Format string `enum:"dsse,bundle,in-toto" default:"dsse" placeholder:"FORMAT" help:"the output's format: dsse, an envelope; bundle, a Sigstore bundle, as cosign 3 reads it; or in-toto, a layout and a link for each step, in a folder"`
	Out    string `short:"o" name:"output" placeholder:"FILE" help:"write to a file instead of standard output; with --format in-toto, to a new folder"`
}

// attestationTypes are the types of statements by their names.
func attestationTypes() map[string]attest.Type {
	return map[string]attest.Type{"run": attest.Run, "provenance": attest.Provenance, "test-result": attest.TestResult}
}

// Run carries the command out.
func (f *attestCommand) Run(ctx context.Context, p *cli) error {
	links := f.Format == "in-toto"
	if links && (f.Out == "" || f.Type != "") {
		return &usageError{"attest: --format in-toto writes a layout and links, which have no --type, into a folder: " +
			"name one that is not there, as in  -o links"}
	}
	ws := p.workspace(f.Dir)
	id, err := find(ctx, ws, f.first())
	if err != nil {
		return err
	}
	key, err := f.signer(ctx, p)
	if err != nil {
		return err
	}
	if run, err := ws.History(ctx, id); err == nil && run.After != nil {
		p.warn("the work of the run was set back since it ended, and what is attested is what it was then")
	}
	if links {
		files, err := attest.Links(ctx, ws, id, key)
		if err != nil {
			return err
		}
		return writeFolder(f.Out, files)
	}
	statement, err := attest.New(ctx, ws, id, attestationTypes()[cmp.Or(f.Type, "run")])
	if err != nil {
		return err
	}
	sign := attest.Sign
	if f.Format == "bundle" {
		sign = attest.SignBundle
	}
	text, err := sign(ctx, statement, key)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { _, err := w.Write(text); return err }
	if f.Out == "" {
		return write(p.out)
	}
	return streamFile(f.Out, write)
}

// signer is what signs: a program, or a key that is read.
func (f *attestCommand) signer(ctx context.Context, p *cli) (crypto.Signer, error) {
	if f.Signer != "" {
		return newProgramSigner(ctx, f.Dir, f.Signer, f.Key)
	}
	return p.attestingKey(f.Dir, f.Key)
}

// writeFolder makes a folder of files.
func writeFolder(dir string, files map[string][]byte) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// attestingKey is the key that signs a statement. One that lies in the workspace
// is refused: whatever works there may have read it.
func (p *cli) attestingKey(dir, name string) (crypto.Signer, error) {
	folder, err := keyFolder(dir)
	if err != nil && name == "" {
		return nil, err
	}
	if name != "" && within(dir, folder.File(name)) {
		return nil, &usageError{fmt.Sprintf("attest: the key %s lies in the workspace, where whatever works there can read it: "+
			"keep it elsewhere", quoted(name))}
	}
	return signingKey(folder, name)
}

// An attested is what "planlock verify --attestation" found, as JSON.
type attested struct {
	Type     attest.Type `json:"type"`
	Run      string      `json:"run,omitempty"`
	Subjects int         `json:"subjects"`
	Journal  bool        `json:"journal"` // the run is kept here, and says the same
	Files    int         `json:"files"`
	Same     int         `json:"files_same"`              // that are here as they are attested
	Changed  []string    `json:"files_changed,omitempty"` // or not there
}

// verifyAttestation verifies who signed a statement, and, where its run is kept
// in the workspace, that its journal says the same.
func (f *verifyCommand) verifyAttestation(ctx context.Context, p *cli) error {
	text, err := readBounded(f.Attestation, maxAttestation)
	if err != nil {
		return err
	}
	keys, err := attestationKeys(f.Dir, f.Key)
	if err != nil {
		return err
	}
	statement, err := attest.Verify(ctx, text, keys...)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Attestation, err)
	}
	found := attested{Type: statement.PredicateType, Run: statement.Of(), Subjects: len(statement.Subject)}
	if found.Journal, err = f.holds(ctx, p, statement); err != nil {
		return err
	}
	if err := found.look(f.Dir, statement); err != nil {
		return err
	}
	if f.Format == "json" {
		return writeJSON(p.out, found)
	}
	return found.print(p.out, f)
}

// maxAttestation is the size of the largest attestation that is read, in bytes.
const maxAttestation = 64 << 20

// readBounded reads a file that is not larger than most.
func readBounded(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is larger than %d bytes", name, most)
	}
	return text, err
}

// attestationKeys are the public keys that may have signed: those that are named,
// or all of this user.
func attestationKeys(dir string, names []string) (keys []crypto.PublicKey, err error) {
	folder, err := keyFolder(dir)
	if len(names) == 0 {
		if err != nil {
			return nil, err
		}
		if names, err = folder.All(); err != nil {
			return nil, err
		}
		for i, name := range names {
			names[i] = filepath.Join(folder.Dir, name+".pem")
		}
	}
	for _, name := range names {
		key, err := userkey.Public(folder.File(name))
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// holds sets a statement against the journal of its run. It reports false where
// that is not kept in the workspace.
func (f *verifyCommand) holds(ctx context.Context, p *cli, s *attest.Statement) (bool, error) {
	ws := p.workspace(f.Dir)
	of := s.Of()
	if wanted := f.first(); wanted != "" {
		id, err := find(ctx, ws, wanted)
		if err != nil {
			return false, err
		}
		if id != of {
			return false, &attest.MismatchError{At: fmt.Sprintf("its run, which is %s and not %s", orElse(of, "none"), id)}
		}
	}
	known := slices.Contains([]attest.Type{attest.Run, attest.Provenance, attest.TestResult}, s.PredicateType)
	if of == "" || !known {
		return false, nil
	}
	id, err := ws.Find(ctx, of)
	if errors.Is(err, exec.ErrNoRun) || err == nil && id != of {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	anew, err := attest.New(ctx, ws, id, s.PredicateType)
	return err == nil, cmp.Or(err, s.Holds(anew))
}

// look compares the files of a workspace with those that are attested.
func (a *attested) look(dir string, s *attest.Statement) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, r := range s.Files() {
		a.Files++
		if sum, err := sumIn(root, r.Name); err == nil && sum == r.Digest["sha256"] {
			a.Same++
		} else {
			a.Changed = append(a.Changed, r.Name)
		}
	}
	return nil
}

// sumIn is the SHA-256 of a file, in hexadecimal.
func sumIn(root *os.Root, name string) (string, error) {
	info, err := root.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is no file")
	}
	file, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	digest, _, err := ledger.SumReader(file)
	if err != nil {
		return "", err
	}
	sum, err := digest.Sum()
	return hex.EncodeToString(sum[:]), err
}

// print tells people what was found.
func (a *attested) print(w io.Writer, f *verifyCommand) error {
	name := string(a.Type)
	for short, t := range attestationTypes() {
		if t == a.Type {
			name = short
		}
	}
	fmt.Fprintf(w, "%s holds: a statement of type %s about %s, and the key signed it\n", escaped(f.Attestation),
		escaped(name), plural(a.Subjects, "subject"))
	switch {
	case a.Journal:
		fmt.Fprintf(w, "The journal of run %s says the same.\n", escaped(a.Run))
	case a.Run != "":
		fmt.Fprintf(w, "Run %s is not kept here: only who signed was verified, not what the journal says.\n", escaped(a.Run))
	default:
		fmt.Fprintln(w, "It names no run of planlock: only who signed was verified.")
	}
	if a.Files > 0 {
		fmt.Fprintf(w, "Of %s, %d %s here as attested.\n", plural(a.Files, "file"), a.Same, oneOrMany(a.Same, "is", "are"))
	}
	if len(a.Changed) > 0 {
		fmt.Fprintf(w, "Not so, or not here: %s.\n", escaped(strings.Join(a.Changed, ", ")))
	}
	return nil
}
