package cmd

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/cmd/internal/userkey"
	"github.com/planlock/planlock/envelope/attest"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// keyCommand is "planlock key": it prints the key that signs the runs of this
// user, and makes it where there is none. "rotate", or --new, makes another one,
// which signs from here on: runs that the earlier ones signed go on under it.
// "new" makes a key with a name, which signs only what it is asked to, "list"
// lists all, and "export" writes the public half of one as other programs read it.
type keyCommand struct {
	arguments
	New    bool   `help:"as planlock key rotate"`
	Kind   string `enum:"ed25519,ecdsa-p256" default:"ed25519" placeholder:"KIND" help:"new: the kind of key, ed25519 or ecdsa-p256"`
	Out    string `short:"o" name:"output" placeholder:"FILE" help:"export: write to a file instead of standard output"`
	Format string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"the output's format: text, or json: with the file of the key, and the earlier keys"`
}

// userKeys is "planlock key" as JSON.
type userKeys struct {
	Key     record.Key   `json:"key"`
	File    string       `json:"file"`
	Earlier []record.Key `json:"earlier,omitempty"` // the latest first
}

// Run carries the command out.
func (f *keyCommand) Run(_ context.Context, p *cli) error {
	what, about := f.first(), ""
	if len(f.Args) > 1 {
		about = f.Args[1]
	}
	switch {
	case !slices.Contains([]string{"", "new", "list", "export", "rotate"}, what):
		return &usageError{fmt.Sprintf("key: %q is none of new, list, export, rotate", what)}
	case about != "" && what != "new" && what != "export":
		return &usageError{fmt.Sprintf("key: %s is about no key that is named", what)}
	case about == "" && what == "new":
		return &usageError{"key: new needs the name of the key, as in  planlock key new release"}
	case f.New && what != "":
		return &usageError{"key: --new stands alone: it is  planlock key rotate"}
	}
	folder, err := keyFolder("")
	if err != nil {
		return err
	}
	switch what {
	case "new":
		return p.newKey(folder, about, userkey.Kind(f.Kind))
	case "list":
		return p.listKeys(folder, f.Format)
	case "export":
		return p.exportKey(folder, about, f.Out)
	}
	open := folder.Use
	if f.New || what == "rotate" {
		open = folder.Renew
	}
	keys, err := open()
	if err != nil {
		return err
	}
	key, earlier := keys.Public()
	if f.Format == "json" {
		return writeJSON(p.out, userKeys{key, keys.File, earlier})
	}
	_, err = fmt.Fprintln(p.out, key)
	return err
}

// newKey makes a key that has a name, and prints where it lies.
func (p *cli) newKey(folder userkey.Folder, name string, kind userkey.Kind) error {
	file, err := folder.New(name, kind)
	if errors.Is(err, userkey.ErrName) {
		return &usageError{"key: " + err.Error()}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, escaped(file))
	return err
}

// A listedKey is one of the keys of this user.
type listedKey struct {
	Name string       `json:"name"`
	Kind userkey.Kind `json:"kind,omitempty"`
	Key  record.Key   `json:"key,omitempty"` // as journals and known keys have it
	ID   string       `json:"id,omitempty"`  // as ssh has it
	Use  string       `json:"use"`           // runs, earlier-runs, attestations
	File string       `json:"file"`
	Why  string       `json:"error,omitempty"` // it cannot be used
}

// listKeys lists the keys of this user: what signs runs first.
func (p *cli) listKeys(folder userkey.Folder, format string) error {
	names, err := folder.All()
	if err != nil {
		return err
	}
	list := []listedKey{}
	for i, name := range names {
		k := listedKey{Name: name, Use: "attestations", File: filepath.Join(folder.Dir, name+".pem")}
		switch {
		case name[0] > '9':
		case i == 0:
			k.Use = "runs"
		default:
			k.Use = "earlier-runs"
		}
		if key, err := userkey.Open(k.File); err != nil {
			k.Why = err.Error()
		} else {
			k.Kind = userkey.KindOf(key.Public())
			k.Key, _ = record.KeyOf(key.Public()) // "" of a key that signs no journal
			k.ID = attest.KeyID(key.Public())
		}
		list = append(list, k)
	}
	if format == "json" {
		return writeJSON(p.out, list)
	}
	for _, k := range list {
		fmt.Fprintf(p.out, "%-12s %-10s  %-12s  %s\n", k.Name, k.Kind, k.Use, escaped(orElse(k.Why, k.ID)))
	}
	if len(list) == 0 {
		fmt.Fprintln(p.out, "There is no key yet. The first run makes one; so does planlock key.")
	}
	return nil
}

// exportKey writes the public half of a key in PEM: of the one that signs runs,
// where none is named.
func (p *cli) exportKey(folder userkey.Folder, name, out string) error {
	key, err := publicKey(folder, name)
	if err != nil {
		return err
	}
	text, err := userkey.PEM(key)
	if err != nil {
		return err
	}
	write := writing(text)
	if out != "" {
		return streamFile(out, write)
	}
	return write(p.out)
}

// signingKey is a private key: the one in a file, the one that has a name, or,
// with neither, the one that signs the runs of this user.
func signingKey(folder userkey.Folder, name string) (crypto.Signer, error) {
	if name != "" {
		return userkey.Open(folder.File(name))
	}
	keys, err := folder.Use()
	return keys.Signer, err
}

// publicKey is a public key, found as signingKey finds a private one.
func publicKey(folder userkey.Folder, name string) (crypto.PublicKey, error) {
	if name != "" {
		return userkey.Public(folder.File(name))
	}
	keys, err := folder.Use()
	if err != nil {
		return nil, err
	}
	return keys.Signer.Public(), nil
}

// keysName is the folder of the keys in the one of what planlock keeps for a
// user.
const keysName = "keys"

// errNoKeys says that the user wants nothing to be kept outside of workspaces.
var errNoKeys = errors.New("there is no folder for keys: PLANLOCK_STATE is off")

// keyFolder is where the keys of this user lie. They are not looked for in a
// workspace: whoever can write it could read them, or bring some along.
func keyFolder(workspace string) (userkey.Folder, error) {
	state := filelog.UserWitness()
	if os.Getenv("PLANLOCK_STATE") == "off" {
		return userkey.Folder{}, errNoKeys
	}
	if state.Dir == "" {
		return userkey.Folder{}, errors.New("nothing says where a key could lie: set HOME, or PLANLOCK_STATE to a folder")
	}
	if workspace != "" && state.Outside(workspace).Dir == "" {
		return userkey.Folder{}, fmt.Errorf("%s lies in the workspace: set PLANLOCK_STATE to a folder elsewhere",
			displayPath(state.Dir))
	}
	return userkey.Folder{Dir: filepath.Join(state.Dir, keysName)}, nil
}

// secrets are what no command of a step or a gate may see: the folder of the
// user's keys.
func secrets() []string {
	folder, err := keyFolder("")
	if err != nil {
		return nil
	}
	return []string{folder.Dir}
}

// sign has a controller sign with the key of this user, which is made where
// there is none yet. Without one the run is not signed, which is no reason not
// to run; it is said, unless the user wants it so.
func (p *cli) sign(c *exec.Controller) {
	folder, err := keyFolder(c.Dir)
	var keys userkey.Keys
	if err == nil {
		keys, err = folder.Use()
	}
	if err != nil && !errors.Is(err, errNoKeys) {
		p.warn("nothing is signed here: %s", escaped(forPeople(err.Error())))
	}
	c.Signer, c.EarlierSigners = keys.Signers()
}

// knownKeys are the keys that "planlock verify" tells from others.
type knownKeys struct {
	mine     []record.Key          // the one that signs first
	whose    map[record.Key]string // of the file of known keys
	demanded bool                  // the call names the file: no other key will do
}

// knownKeys reads the keys of this user, and a file of known ones: what was
// named, or the one beside the user's keys, which need not be there.
func (p *cli) knownKeys(dir, file string) (knownKeys, error) {
	known := knownKeys{demanded: file != ""}
	folder, err := keyFolder(dir)
	if err == nil {
		var keys userkey.Keys
		if keys, err = folder.Read(); err != nil {
			p.warn("no key is known here: %s", escaped(forPeople(err.Error())))
		} else if key, earlier := keys.Public(); key != "" {
			known.mine = slices.Concat([]record.Key{key}, earlier)
		}
		if file == "" && err == nil {
			file = filepath.Join(folder.Dir, userkey.KnownName)
		}
	}
	if file == "" {
		return known, nil
	}
	known.whose, err = userkey.Known(file)
	switch {
	case err == nil || !known.demanded && errors.Is(err, fs.ErrNotExist):
		return known, nil
	case known.demanded:
		return known, fmt.Errorf("known keys: %w", err)
	}
	p.warn("what keys are known is not known here: %s", escaped(forPeople(err.Error())))
	return known, nil
}

// Whose a key is.
const (
	byNobody      = "nobody"
	byYou         = "you"
	byYourEarlier = "you-earlier"
	byKnown       = "known"
	byStranger    = "unknown"
)

// A signature says who signed a run, and how far.
type signature struct {
	Key      record.Key `json:"key,omitempty"`
	By       string     `json:"by"`             // nobody, you, you-earlier, known, unknown
	Name     string     `json:"name,omitempty"` // of who is known
	Unsigned int        `json:"unsigned"`       // records at the end that nobody signed
	First    uint64     `json:"first,omitempty"`
	Last     uint64     `json:"last,omitempty"`
	UnderWay bool       `json:"under_way,omitempty"` // whoever has the run in hand signs them with what follows
	Added    bool       `json:"added,omitempty"`     // no crash leaves them: somebody added them
	Refused  bool       `json:"refused,omitempty"`   // the keys that the call names did not sign
	After    record.Key `json:"after_end,omitempty"` // that signed what was done since, where it is another one
}

// look tells who signed a run. cutOff says that nobody has it in hand.
func (k *knownKeys) look(run *history.Run, cutOff bool) signature {
	s := signature{Key: run.Signed.Key, By: byStranger}
	name, known := k.whose[s.Key]
	switch at := slices.Index(k.mine, s.Key); {
	case s.Key == "":
		s.By = byNobody
	case at == 0:
		s.By = byYou
	case at > 0:
		s.By = byYourEarlier
	case known:
		s.By = byKnown
	}
	s.Name, s.Refused = name, k.demanded && !known
	if after := run.After; after != nil && after.Key != s.Key {
		_, known := k.whose[after.Key]
		s.After, s.Refused = after.Key, s.Refused || k.demanded && !known
	}
	if end := run.Signed.End; len(end) > 0 {
		s.Unsigned, s.First, s.Last = len(end), end[0].Seq, end[len(end)-1].Seq
		s.Added = len(run.Signed.Claims()) > 0
		s.UnderWay = !s.Added && !cutOff
	}
	return s
}

// failure is the status of what nobody signed, or not whom the call names; nil
// for what stands.
func (s *signature) failure() error {
	if s.Refused || s.Unsigned > 0 && !s.UnderWay {
		return &quietError{statusRefused}
	}
	return nil
}

// text is the signature for people. resume is the command that goes on with the
// run.
func (s *signature) text(resume string) string {
	text := "It is signed by " + s.Key.Short()
	switch s.By {
	case byNobody:
		text = "Nobody signed it"
	case byYou:
		text += ", your key"
	case byYourEarlier:
		text += ", an earlier key of yours"
	case byKnown:
		text += ", the key of " + escaped(orElse(s.Name, "somebody known"))
	default:
		text += ", a key that is not known here"
	}
	text += ".\n"
	if s.After != "" {
		text += "What was done since it ended is signed by another key, " + s.After.Short() + ", on somebody's word.\n"
	}
	if s.Refused {
		text += "That is none of the keys that are asked for.\n"
	}
	if s.Unsigned == 0 {
		return text
	}
	text += fmt.Sprintf("Nobody signed %s at its end (%d to %d): ", plural(s.Unsigned, "record"), s.First, s.Last)
	switch {
	case s.UnderWay:
		text += "the run is under way, and what follows signs them.\n"
	case s.Added:
		text += "no crash leaves these, so somebody added them. Put the journal back as it was.\n"
	default:
		text += "a crash leaves such, and they count for nothing once the run goes on:  " + escaped(resume) + "\n"
	}
	return text
}
