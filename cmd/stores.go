package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/planlock/planlock/checkpoint"
	planlock "github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// A Kept is where runs are kept that are not in the folder of their workspace.
type Kept struct {
	Blobs  checkpoint.Blobs
	Runs   checkpoint.Runs
	Papers checkpoint.Papers
	Close  func() error
}

// workerName is the program that knows stores which this one does not.
const workerName = "planlock-worker"

// storeFile says in the folder of the controller where a workspace keeps its
// runs, if not there.
const storeFile = "store"

const storeSchema = "planlock.store/1"

// storeFlags say where runs are kept.
type storeFlags struct {
	Store string `again:"never" placeholder:"URL" help:"where journals, questions and contents are kept if not in the workspace, as in postgres://HOST/DATABASE or sqlite:FILE; the workspace remembers it (docs/stores.md)"`
	Blobs string `again:"never" placeholder:"URL" help:"where contents are kept if not with the rest, as in s3://BUCKET; the workspace remembers it"`
}

// stores makes every command that embeds storeFlags say where runs are kept.
func (f *storeFlags) stores() *storeFlags { return f }

// A place is where a workspace keeps its runs.
type place struct {
	Schema string `json:"schema"`
	Store  string `json:"store"`
	Blobs  string `json:"blobs,omitempty"`
}

// keep opens where the workspace of a call keeps its runs, if that is elsewhere.
// Where this program knows no stores, it becomes the one that does.
func (p *cli) keep(ctx context.Context, c *command) error {
	in, can := c.runner.(interface {
		workspaceDir() string
		stores() *storeFlags
	})
	if !can || p.with.Runs != nil || p.with.Blobs != nil {
		return nil
	}
	dir, typed := in.workspaceDir(), in.stores()
	at, err := placeOf(dir)
	if err != nil {
		return err
	}
	var given place
	if given.Store, err = storeURL(typed.Store); err == nil {
		given.Blobs, err = storeURL(typed.Blobs)
	}
	switch {
	case err != nil:
		return err
	case given.Store == "" && given.Blobs == "" && at.Store == "":
		return nil
	case given.Store == "" && at.Store == "":
		return &usageError{fmt.Sprintf("%s: --blobs says where contents go: say with --store where journals do", c.name)}
	case at.Store != "" && given.differs(at):
		return &usageError{fmt.Sprintf("%s: this workspace keeps its runs at %s; use another workspace for %s", c.name,
			quoted(strings.TrimSpace(at.Store+" "+at.Blobs)), quoted(strings.TrimSpace(given.Store+" "+given.Blobs)))}
	case at.Store != "" && (given.Store == "" || given.Blobs != at.Blobs) && !acceptedBefore(dir, at.digest()):
		// It came with the workspace, and may be anybody's: what knows passwords would
		// be asked for them.
		return &planlock.RefusedError{Reasons: []string{fmt.Sprintf("%s says that the runs of this workspace are kept at %s, and nobody has named that here",
			quoted(filepath.Join(dir, planlock.Own, storeFile)), quoted(strings.TrimSpace(at.Store+" "+at.Blobs)))},
			Hint: "if that is so, name it once with --store (and --blobs); else remove the file"}
	case at.Store == "":
		if err := onlyElsewhere(ctx, c.name, dir); err != nil {
			return err
		}
		at = place{storeSchema, given.Store, given.Blobs}
	}
	if p.with.Open == nil {
		return becomeWorker(at, p.args)
	}
	begins := c.name == "run" || c.name == "mcp" // an agent may begin a run by it
	kept, err := p.with.Open(ctx, at.Store, at.Blobs, begins)
	if err != nil {
		return err
	}
	p.with.Blobs, p.with.Runs, p.with.Papers = kept.Blobs, kept.Runs, kept.Papers
	p.kept = at
	p.later(kept.Close)
	if typed.Store == "" {
		return nil
	}
	named := claim{digest: at.digest(), reason: "the runs of a workspace are kept there",
		lines: []string{at.Store, at.Blobs}}
	if err := keepAccepted(dir, named); err != nil {
		return err
	}
	if c.name != "run" && c.name != "resume" {
		return nil
	}
	p.later(func() error { return forget(dir) })
	return remember(dir, at)
}

// differs reports whether what was named is not where the runs are kept.
func (named place) differs(at place) bool {
	return named.Store != "" && named.Store != at.Store || named.Blobs != "" && named.Blobs != at.Blobs
}

// placeOf is where a workspace keeps its runs; zero for itself.
func placeOf(dir string) (at place, err error) {
	name := filepath.Join(dir, planlock.Own, storeFile)
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // what is no folder is told later
		return at, nil
	}
	var text []byte
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxPlace) {
		err = errors.New("it is no small file")
	}
	if err == nil {
		text, err = os.ReadFile(name)
	}
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	if err == nil && (at.Schema != storeSchema || at.Store == "") {
		err = fmt.Errorf("its schema is %q, not %q, or it names no store", at.Schema, storeSchema)
	}
	if err == nil {
		_, err = storeURL(at.Store)
	}
	if err == nil {
		_, err = storeURL(at.Blobs)
	}
	if err != nil {
		return place{}, fmt.Errorf("%s does not say where the workspace keeps its runs: %w", quoted(name), err)
	}
	return at, nil
}

// maxPlace bounds that file.
const maxPlace = 8 << 10

// digest is by what it is known that a user has named the place.
func (at place) digest() ledger.Digest { return ledger.Sum([]byte(at.Store + "\n" + at.Blobs)) }

// remember has a workspace know where it keeps its runs.
func remember(dir string, at place) error {
	text, err := json.Marshal(at)
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, planlock.Own)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return writeFile(filepath.Join(folder, storeFile), append(text, '\n'))
}

// forget has a workspace in which no run began know nothing of a store.
func forget(dir string) error {
	if runs, err := os.ReadDir(filepath.Join(dir, planlock.Own, "runs")); err == nil && len(runs) > 0 {
		return nil
	}
	err := os.Remove(filepath.Join(dir, planlock.Own, storeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// storeURL is the address of a store as it is kept and shown. It must not have
// a password, and a file is named from the root.
func storeURL(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" { // it is not shown: it may have a password
		return "", &usageError{"what --store or --blobs names is no address of a store, such as postgres://HOST/DATABASE, sqlite:FILE or s3://BUCKET"}
	}
	_, secret := u.User.Password()
	for key := range u.Query() {
		low := strings.ToLower(key)
		for _, word := range []string{"password", "secret", "token"} {
			secret = secret || strings.Contains(low, word)
		}
	}
	if secret {
		return "", &usageError{fmt.Sprintf("the address of a store at %s must have no password, since workspaces remember it: have the environment (PGPASSWORD, ~/.pgpass, the variables of object stores) know it",
			quoted(u.Scheme+"://"+u.Host+u.Path))}
	}
	if u.Scheme == "sqlite" && u.Opaque != "" && !filepath.IsAbs(u.Opaque) {
		full, err := filepath.Abs(u.Opaque)
		if err != nil {
			return "", err
		}
		return "sqlite:" + filepath.ToSlash(full), nil
	}
	return text, nil
}

// onlyElsewhere refuses another place for the runs of a workspace that has some
// already.
func onlyElsewhere(ctx context.Context, name, dir string) error {
	ids, err := planlock.Workspace{Dir: dir}.IDs(ctx)
	if err != nil || len(ids) == 0 {
		return nil // a folder that is not there is made, or told of later
	}
	return &usageError{fmt.Sprintf("%s: this workspace keeps %s in itself already: use another workspace, or none with --store",
		name, plural(len(ids), "run"))}
}

// becomeWorker has the program that knows stores carry out the call, with the
// same words. It returns if there is none.
func becomeWorker(at place, args []string) error {
	program, err := worker()
	if err != nil {
		return fmt.Errorf("the runs of this workspace are kept at %s, and for that planlock calls %s, which is not there: go install github.com/planlock/planlock/cmd/%s@latest",
			quoted(at.Store), workerName, workerName)
	}
	return replaceBy(program, args)
}

// worker finds that program: beside this one, or on PATH.
func worker() (string, error) {
	name := workerName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	return exec.LookPath(name)
}

// rebuild makes the workspace of a run that is to go on in an empty folder, where
// the run is kept elsewhere. It refuses a folder that is another one's.
func (p *cli) rebuild(ctx context.Context, ws planlock.Workspace, run *history.Run) error {
	if p.with.Runs == nil || run.Sealed != nil {
		return nil
	}
	err := p.ofHere(ws, run)
	if err == nil {
		return nil
	}
	made := ws.Rebuild(ctx, run.Started.Run)
	if errors.Is(made, planlock.ErrNotEmpty) {
		return err
	}
	if made == nil {
		fmt.Fprintf(p.err, "the workspace of run %s was made anew in %s\n", run.Started.Run, escaped(ws.Dir))
	}
	return made
}

// endedElsewhere warns where a run that is over ended in another folder: this one
// has what was brought into it before.
func (p *cli) endedElsewhere(ws planlock.Workspace, run *history.Run) {
	if p.with.Runs == nil || run.Sealed == nil || run.Delivered == nil && !run.Started.Layered() {
		return
	}
	for name, want := range run.Sealed.Views {
		text, err := os.ReadFile(filepath.Join(ws.ViewDir(run.Started.Run), name))
		if err == nil && ledger.Sum(text) == want {
			return // it was drawn here
		}
	}
	p.warn("run %s ended in another folder: this one may have a part of its work alone; planlock tree export %s DIR writes all of it",
		run.Started.Run, run.Tree.Tree)
}

// onlyHere refuses what looks after contents where these are kept elsewhere.
func (p *cli) onlyHere(what string) error {
	if p.with.Blobs == nil {
		return nil
	}
	return &planlock.RefusedError{Reasons: []string{what + " looks after contents in the workspace alone, and those of its runs are kept elsewhere"},
		Hint: "planlock verify RUN reads all that a run needs, wherever it is kept"}
}

// ofHere refuses to change a folder for a run of which it is not the workspace,
// where runs are kept elsewhere: what lies there is somebody else's.
func (p *cli) ofHere(ws planlock.Workspace, run *history.Run) error {
	if p.with.Runs == nil {
		return nil
	}
	if _, err := os.Lstat(ws.RunDir(run.Started.Run)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &planlock.RefusedError{Run: run.Started.Run,
		Reasons: []string{fmt.Sprintf("%s is not the workspace of the run", quoted(ws.Dir))},
		Hint:    "go to its workspace; or resume the run in an empty folder, which becomes its workspace then"}
}
