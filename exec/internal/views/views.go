package views

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/deliveries"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Views are the documents of the run in hand. Table says which.
type Views struct {
	*session.Session
	Table []document.Document
	// Deliveries bring the notepad into the workspace.
	Deliveries *deliveries.Deliveries

	began    history.Started // how the run began, for what is drawn beside its work
	followed uint64          // the record that was drawn last while the run went on
	since    time.Time       // when that was done first
	spent    time.Duration   // with that
	draws    int             // how often, at once
	told     []string        // what was told once, and is not told again
	late     []string        // what is to be told
	timer    *time.Timer     // of what is done later; nil: nothing is
	run, top *disk.Root      // the folders of the run and the workspace; nil until something is written there
	mu       sync.Mutex      // guards these
}

// Draw writes all documents of a run that is over, and returns their digests.
func (v *Views) Draw(ctx context.Context) (map[string]ledger.Digest, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stop()
	defer v.tellLate()
	v.began = v.Rec.Run.Started
	model, err := document.New(v.Plan, v.Rec.Run, nil)
	if err != nil {
		return nil, err
	}
	defer v.reread(ctx, model)()
	if err := v.open(ctx); err != nil {
		return nil, fmt.Errorf("exec: views: %w", err)
	}
	v.sweep()
	views, err := Write(disk.From(ctx), v.Home.ViewDir(v.began.Run), v.Table, model)
	if err != nil {
		return nil, err
	}
	v.note(ctx, model)
	return views, v.writeRequested(ctx, model, true)
}

// reread has earlier checkpoints drawn from the journal in hand, until stop is
// called.
func (v *Views) reread(ctx context.Context, m *document.Model) (stop func()) {
	earlier, stop := Earlier(v.Rec.Journal.Records(ctx), func(run *history.Run) (*plan.Plan, error) {
		if run.Started.PlanBlob == v.Rec.Run.Started.PlanBlob {
			return v.Plan, nil
		}
		return v.Home.Plan(ctx, run)
	})
	m.Reread(earlier)
	return stop
}

// Write writes documents into dir, each of them whole or not at all, and
// removes those that have nothing to say any more. It returns their digests.
func Write(d *disk.Disk, dir string, table []document.Document, m *document.Model) (map[string]ledger.Digest,
	error) {
	if err := d.Anywhere().MakeFolders(dir, 0o755); err != nil {
		return nil, fmt.Errorf("exec: views: %w", err)
	}
	drawn := map[string]ledger.Digest{}
	for _, f := range document.Files(table, m) {
		if f.Live {
			sum, err := Sum(f.Draw)
			if err == nil {
				err = markDrawn(d.Anywhere(), filepath.Join(dir, f.Name), sum)
			}
			if err != nil {
				return nil, fmt.Errorf("exec: view %s: %w", f.Name, err)
			}
		}
		sum, err := Sum(func(sum io.Writer) error {
			return d.ReplaceBy(filepath.Join(dir, f.Name), 0o644, func(w io.Writer) error {
				defer home.InPort(fmt.Sprintf("document %q", f.Name))
				return f.Draw(io.MultiWriter(w, sum))
			})
		})
		if err != nil {
			return nil, fmt.Errorf("exec: view %s: %w", f.Name, err)
		}
		drawn[f.Name] = sum
	}
	if err := dropOld(d, dir, table, drawn); err != nil {
		return nil, err
	}
	for _, stale := range table {
		if _, ok := drawn[stale.Name]; ok || !stale.Ahead {
			continue
		}
		if err := d.Anywhere().Remove(filepath.Join(dir, stale.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("exec: view %s: %w", stale.Name, err)
		}
	}
	return drawn, nil
}

// dropOld removes checkpoints that are not among the latest any more, and those
// of tasks that are not over any more.
func dropOld(d *disk.Disk, dir string, table []document.Document, drawn map[string]ledger.Digest) error {
	many := map[string]bool{}
	for _, d := range table {
		many[d.Name] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("exec: views: %w", err)
	}
	for _, e := range entries {
		checkpoint := many[document.CheckpointName] && document.IsCheckpoint(e.Name()) ||
			many[document.TaskCheckpointName] && document.IsTaskCheckpoint(e.Name())
		if _, ok := drawn[e.Name()]; ok || !checkpoint {
			continue
		}
		if err := d.Anywhere().Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("exec: view %s: %w", e.Name(), err)
		}
	}
	return nil
}

// sweep removes temporary files of a controller that was killed while it drew.
// What cannot be removed stays: verify names it.
func (v *Views) sweep() {
	dir := v.Home.ViewDir(v.began.Run)
	entries, _ := os.ReadDir(dir) // where there is no folder, nothing lies in it
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".planlock-") {
			_ = v.run.Remove(path.Join(filepath.Base(dir), e.Name()))
		}
	}
}

// there reports whether somebody had a document drawn before: it is kept up with
// the others.
func (v *Views) there(name string) bool {
	_, err := os.Lstat(filepath.Join(v.Home.ViewDir(v.began.Run), name))
	return err == nil
}

// Sum is the digest of everything that write writes.
func Sum(write func(io.Writer) error) (ledger.Digest, error) {
	h := sha256.New()
	if err := write(h); err != nil {
		return "", err
	}
	return ledger.DigestOf([sha256.Size]byte(h.Sum(nil))), nil
}

// DrawAhead draws the documents of a run that is let go of, for whoever goes on
// with it. They can be drawn again from the journal, so that it goes on without
// them where they cannot be written.
func (v *Views) DrawAhead(ctx context.Context) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.began = v.Rec.Run.Started
	v.drawAhead(ctx)
}

// TakenUp draws them again for a run that goes on, where any says by now that it
// waits: a controller that was killed left none.
func (v *Views) TakenUp(ctx context.Context) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.began = v.Rec.Run.Started
	if slices.ContainsFunc(v.Table, func(d document.Document) bool { return !d.Live && v.there(d.Name) }) {
		v.drawAhead(ctx)
	}
}

func (v *Views) drawAhead(ctx context.Context) {
	v.stop()
	defer v.tellLate()
	var ahead []document.Document
	for _, d := range v.Table {
		if d.Ahead || !d.Live && v.there(d.Name) {
			ahead = append(ahead, d)
		}
	}
	model, err := document.New(v.Plan, v.Rec.Run, nil)
	if err == nil {
		defer v.reread(ctx, model)()
		err = v.open(ctx)
	}
	if err == nil {
		v.sweep()
		v.note(ctx, model)
		err = v.live(model)
	}
	if err == nil {
		_, err = Write(disk.From(ctx), v.Home.ViewDir(v.began.Run), ahead, model)
	}
	if err == nil && !v.began.Isolated && v.Rec.Run.Ended == nil {
		err = v.writeRequested(ctx, model, true)
	}
	if err != nil {
		v.Rec.Log.Warn("the views for the next session cannot be written", "err", err)
	}
}
