package filelog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// Runs is checkpoint.Runs in a folder: each run has one of its own there, named
// after its id, with a log in it. A second writer of a log is refused
// (*checkpoint.HeldError). The zero value is the current folder.
//
//	RUN/journal   the log
//	RUN/after     what was done with its work since it was sealed
//
// What was noted of runs lies in the folder of the witness, so that who can write
// the workspace alone cannot have a lock serve twice; without one beside Dir, with
// ".index" behind its name. A line is a note: RUN STATE, or RUN claims LOCK.
//
// The index spares whoever begins a run to read all earlier ones; a run that is
// not in it is read. It may be removed.
type Runs struct {
	Dir     string
	Witness Witness // knows, outside of the workspace, how far the logs reached
}

// indexExt is what is behind the name of the folder in that of the file of what
// was noted.
const indexExt = ".index"

// maxIndex bounds what is read of it: a file that is larger is none of ours.
const maxIndex = 1 << 30

// claims is what stands for a state in a line that has a lock.
const claims = "claims"

// File is the file of a log.
func (r Runs) File(name string) string {
	run, after := strings.CutSuffix(name, checkpoint.AfterRun)
	base := "journal"
	if after {
		base = "after"
	}
	return filepath.Join(r.Dir, run, base)
}

// check refuses names that lead elsewhere.
func check(name string) error {
	if run := strings.TrimSuffix(name, checkpoint.AfterRun); !isRun(run) {
		return fmt.Errorf("%w: %q is no id of a run", checkpoint.ErrNotFound, name)
	}
	return nil
}

func isRun(name string) bool {
	_, err := ulid.ParseStrict(name)
	return err == nil
}

// Open opens a log for its one writer; see checkpoint.Runs.
func (r Runs) Open(ctx context.Context, name string) (checkpoint.Log, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	return asLog(r.Witness.Open(ctx, r.File(name)))
}

// Read opens a log to replay it; see checkpoint.Runs.
func (r Runs) Read(ctx context.Context, name string) (checkpoint.Log, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	log, err := r.Witness.Read(ctx, r.File(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", checkpoint.ErrNotFound, err)
	}
	return asLog(log, err)
}

// asLog is a log, nil where there is none.
func asLog(l *Log, err error) (checkpoint.Log, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

// List yields the runs that have a folder; see checkpoint.Runs.
func (r Runs) List(ctx context.Context, which checkpoint.Which) iter.Seq2[checkpoint.Listed, error] {
	return func(yield func(checkpoint.Listed, error) bool) {
		if ctx.Err() != nil {
			yield(checkpoint.Listed{}, fmt.Errorf("checkpoint: list runs: %w", context.Cause(ctx)))
			return
		}
		// The index first: a run that begins between the two is not noted, and
		// looked at.
		noted, err := r.index(ctx)
		var there []string
		if err == nil {
			there, err = r.folders(ctx)
		}
		if err != nil {
			yield(checkpoint.Listed{}, err)
			return
		}
		holder, looked, listed := noted.holder(which.Lock), 0, 0
		var states map[string]checkpoint.State
		for _, run := range slices.Backward(there) {
			l := checkpoint.Listed{Run: run}
			if looked++; looked <= few {
				l.State = noted.state(run)
			} else {
				if states == nil {
					states = noted.states()
				}
				l.State = states[run]
			}
			if which.Lock != "" && l.State == checkpoint.Sealed && run != holder {
				continue
			}
			if listed++; !yield(l, nil) || listed == which.Latest {
				return
			}
		}
	}
}

// few is how many runs are looked up one by one, before all are at once.
const few = 32

// folders are the ids of the runs that have a folder, the earliest first.
func (r Runs) folders(ctx context.Context) (ids []string, err error) {
	entries, err := disk.From(ctx).Anywhere().ReadDir(r.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: list runs: %w", err)
	}
	for _, e := range entries { // sorted
		if e.IsDir() && isRun(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// indexFile is the file of what was noted. As with all that a witness keeps, one
// whose folder cannot be had is no reason to stop: then it lies beside Dir. Who
// reads makes none.
func (r Runs) indexFile(root *disk.Root, make bool) string {
	if r.Witness.Dir != "" {
		name := sha256.Sum256([]byte(realPath(filepath.Join(r.dir(), "runs"))))
		folder := filepath.Join(r.Witness.Dir, "runs")
		_, err := root.Lstat(folder)
		if make && err != nil {
			err = root.MkdirAll(folder, 0o700)
		}
		if err == nil {
			return filepath.Join(folder, hex.EncodeToString(name[:16])+indexExt)
		}
	}
	if r.Dir == "" {
		return "runs" + indexExt
	}
	return filepath.Clean(r.Dir) + indexExt
}

func (r Runs) dir() string {
	if r.Dir == "" {
		return "."
	}
	return r.Dir
}

// Note adds what becomes of a run to the index; see checkpoint.Runs.
func (r Runs) Note(ctx context.Context, run string, state checkpoint.State) error {
	return r.change(ctx, run, func(f *disk.File) error {
		err := addLine(f, run, string(state))
		if err == nil && state == checkpoint.SetBack {
			err = f.Sync()
		}
		return err
	})
}

// Claim has a lock serve a run; see checkpoint.Runs.
func (r Runs) Claim(ctx context.Context, lock, run, instead string) (holder string, err error) {
	if strings.ContainsAny(lock, "\n\r") {
		return "", fmt.Errorf("checkpoint: claim: lock %q has more than one line", lock)
	}
	err = r.change(ctx, run, func(f *disk.File) error {
		if err := waitFor(ctx, f); err != nil {
			return err
		}
		defer file.Unlock(f.OS()) // and closed then
		noted, err := readIndex(f)
		if err != nil {
			return err
		}
		if holder = noted.holder(lock); holder != "" && holder != instead {
			return nil
		}
		holder = run
		return errors.Join(addLine(f, run, claims+" "+lock), f.Sync())
	})
	return holder, err
}

// waitFor locks a file, once nobody else has it locked.
func waitFor(ctx context.Context, f *disk.File) error {
	for {
		held, err := lock(f.OS())
		if !held || err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// addLine adds a line. One that a crash left half is ended, and says nothing.
func addLine(f *disk.File, run, what string) error {
	_, err := f.Write([]byte("\n" + run + " " + what + "\n"))
	return err
}

// change opens the index, which is made where there is none, and has do add to it.
func (r Runs) change(ctx context.Context, run string, do func(*disk.File) error) error {
	err := check(run)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	root := disk.From(ctx).Anywhere()
	path := r.indexFile(root, true)
	if err == nil {
		err = root.MakeFolders(filepath.Dir(path), 0o755)
	}
	var f *disk.File
	if err == nil {
		f, err = openRegular(root, path, os.O_RDWR|os.O_APPEND)
		if errors.Is(err, fs.ErrNotExist) {
			if f, err = root.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|file.NoWait, 0o644); err == nil {
				err = root.SyncFolder(filepath.Dir(path))
			}
		}
	}
	if err == nil {
		err = do(f)
	}
	if f != nil {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("checkpoint: index of runs: %w", err)
	}
	return nil
}

// An index is the text of what was noted. It is searched where little is wanted
// of it, since it may be long.
type index string

// state is how far a run came.
func (i index) state(run string) checkpoint.State {
	for at := len(i); ; {
		if at = strings.LastIndex(string(i[:at]), "\n"+run+" "); at < 0 {
			return ""
		}
		what, _, _ := strings.Cut(string(i[at+len(run)+2:]), "\n")
		if !strings.HasPrefix(what, claims) {
			return checkpoint.State(what)
		}
	}
}

// holder is the run that has a lock; "" if none has.
func (i index) holder(lock string) string {
	at := strings.LastIndex(string(i), " "+claims+" "+lock+"\n")
	if at < 0 {
		return ""
	}
	return string(i[strings.LastIndexByte(string(i[:at]), '\n')+1 : at])
}

// states are how far runs came. A line that is none of ours says nothing.
func (i index) states() map[string]checkpoint.State {
	states := map[string]checkpoint.State{}
	for line := range strings.Lines(string(i)) {
		run, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if what != "" && !strings.HasPrefix(what, claims) {
			states[run] = checkpoint.State(what)
		}
	}
	return states
}

// index reads the index. One that is not there says nothing.
func (r Runs) index(ctx context.Context) (index, error) {
	root := disk.From(ctx).Anywhere()
	f, err := openRegular(root, r.indexFile(root, false), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var noted index
	if err == nil {
		noted, err = readIndex(f)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return "", fmt.Errorf("checkpoint: index of runs: %w", err)
	}
	return noted, nil
}

// readIndex reads what was noted.
func readIndex(f *disk.File) (index, error) {
	info, err := f.Stat()
	if err == nil && info.Size() > maxIndex {
		err = fmt.Errorf("%q is larger than 1 GiB: remove it, and it is made anew", f.Name())
	}
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.Grow(int(info.Size()) + 1)
	_, err = io.Copy(&text, io.LimitReader(f, maxIndex))
	return index(text.String()), err
}
