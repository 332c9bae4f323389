package views

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/internal/atomicfile"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// What is drawn while a run goes on may take this much time at once, and a
// twentieth of the time that the run is in hand.
const (
	liveBurst = 500 * time.Millisecond
	liveShare = 20
)

// Follow draws the progress log, and adds to the notepad, where the run went on
// since it did so last. It is called before each thing that is done. What would
// hold the run up is done later, beside what is done then.
func (v *Views) Follow(ctx context.Context) {
	run, now := v.Rec.Run, time.Now()
	if run.Head.Seq == 0 || run.Ended != nil || !v.wanted() {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.began = run.Started
	v.tellLate()
	if run.Head.Seq == v.followed {
		return
	}
	if v.since.IsZero() {
		v.since = now
	}
	if early := liveShare*(v.spent-liveBurst) - now.Sub(v.since); early > 0 {
		v.later(context.WithoutCancel(ctx), early)
		return
	}
	v.followed = run.Head.Seq
	model, err := document.New(v.Plan, run, nil)
	if err == nil {
		v.follow(ctx, model)
		v.note(ctx, model)
	}
	v.spent += time.Since(now)
	v.tellLate()
}

// wanted reports whether anything is drawn while the run goes on.
func (v *Views) wanted() bool {
	_, log := session.RequestedLog(v.Plan)
	_, notepad := session.RequestedNotepad(v.Plan)
	return log || notepad || slices.ContainsFunc(v.Table, func(d document.Document) bool { return d.Live })
}

// later follows once some time has passed, whatever is done then: it reads the
// journal anew, as anybody could.
func (v *Views) later(ctx context.Context, wait time.Duration) {
	if v.timer != nil {
		return
	}
	v.timer = time.AfterFunc(wait, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.timer == nil {
			return // it was stopped
		}
		v.timer = nil
		began := time.Now()
		run, err := v.Home.History(ctx, v.began.Run)
		if err != nil || run.Ended != nil {
			return
		}
		if model, err := document.New(v.Plan, run, nil); err == nil {
			v.follow(ctx, model)
		}
		v.spent += time.Since(began)
	})
}

// Stop has nothing follow the run any more.
func (v *Views) Stop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stop()
	if v.run != nil {
		_ = errors.Join(v.run.Close(), v.top.Close()) // only names were looked up in them
		v.run, v.top = nil, nil
	}
}

func (v *Views) stop() {
	if v.timer != nil {
		v.timer.Stop()
		v.timer = nil
	}
}

// follow draws the progress log of a run that goes on.
func (v *Views) follow(ctx context.Context, m *document.Model) {
	err := v.open(ctx)
	if err == nil {
		err = v.live(m)
	}
	if err == nil && !v.began.Isolated {
		err = v.writeRequested(m, false)
	}
	if err != nil {
		v.untold(fmt.Sprintf("the progress log cannot be kept up to date: %v", err))
	}
}

// open opens the folders that are written while the run goes on, once: what
// becomes of their names meanwhile leads nowhere else.
func (v *Views) open(ctx context.Context) error {
	if v.run != nil {
		return nil
	}
	d, dir := disk.From(ctx), v.Home.RunDir(v.began.Run)
	if err := d.Anywhere().MkdirAll(dir, 0o755); err != nil {
		return err
	}
	run, err := d.OpenRoot(dir)
	if err != nil {
		return err
	}
	top, err := d.OpenRoot(v.Work.Root)
	if err != nil {
		return errors.Join(err, run.Close())
	}
	v.run, v.top = run, top
	return nil
}

// live draws what shows where the run stands now. It is not made durable: it is
// drawn anew after whatever may happen to it.
func (v *Views) live(m *document.Model) error {
	dir := filepath.Base(v.Home.ViewDir(v.began.Run))
	if err := v.run.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, d := range v.Table {
		if !d.Live {
			continue
		}
		for _, f := range d.Files(m) {
			var text bytes.Buffer
			if err := f.Draw(&text); err != nil {
				return err
			}
			name := path.Join(dir, f.Name)
			v.lookAt(name)
			if err := markDrawn(v.run, dir, f); err != nil {
				return err
			}
			if err := replace(v.run, name, path.Join(dir, ".planlock-live-"+f.Name), text.Bytes()); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace puts text at name, whole or not at all, but for a power cut: nobody who
// looks at it meanwhile sees a file that is half written.
func replace(root *disk.Root, name, temp string, text []byte) error {
	if err := write(root, temp, text); err != nil {
		return err
	}
	return root.Rename(temp, name)
}

// write makes text the content of a file.
func write(root *disk.Root, name string, text []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// read is the content of a file.
func read(root *disk.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return io.ReadAll(f)
}

// drawnName is the file in the folder of a run that says what was drawn of it
// while it went on: digests of the latest progress log and of the one before.
const drawnName = "drawn"

// isLive reports whether a file is one of a live document.
func isLive(table []document.Document, f document.File, m *document.Model) bool {
	return slices.ContainsFunc(table, func(d document.Document) bool {
		return d.Live && slices.ContainsFunc(d.Files(m), func(own document.File) bool { return own.Name == f.Name })
	})
}

// markDrawn notes that a live document is about to be drawn into dir, a folder
// of the run's own.
func markDrawn(root *disk.Root, dir string, f document.File) error {
	sum, err := Sum(f.Draw)
	if err != nil {
		return err
	}
	var was ledger.Digest
	if text, err := read(root, filepath.Join(dir, f.Name)); err == nil {
		was = ledger.Sum(text)
	}
	return write(root, filepath.Join(filepath.Dir(dir), drawnName), marked(sum, was))
}

// marked is what such a file says.
func marked(now, was ledger.Digest) []byte { return []byte(string(now) + "\n" + string(was) + "\n") }

// lookAt tells where somebody changed a document since it was drawn.
func (v *Views) lookAt(name string) {
	text, err := read(v.run, name)
	if err != nil {
		return
	}
	known, err := read(v.run, drawnName)
	if err == nil && !slices.Contains(strings.Fields(string(known)), string(ledger.Sum(text))) {
		v.untold(fmt.Sprintf("somebody changed %s since it was drawn: it is drawn anew from the journal, which alone counts",
			filepath.Join(v.Home.RunDir(v.began.Run), filepath.FromSlash(name))))
	}
}

// logName is the file in the folder of a run that says which progress log it
// wrote into the workspace: digests of the latest one and of the one before.
const logName = "log"

// writeRequested writes the progress log where the plan asks for it, unless
// something stands there that no run wrote, or that somebody changed since.
func (v *Views) writeRequested(m *document.Model, durable bool) error {
	name, ok := session.RequestedLog(v.Plan)
	if !ok || v.began.Shadow {
		return nil
	}
	var text bytes.Buffer
	if err := document.Progress(&text, m); err != nil {
		return err
	}
	was, err := v.standing(name)
	if err != nil {
		return fmt.Errorf("exec: progress log %s: %w", name, err)
	}
	if was == theirs {
		v.untold(fmt.Sprintf("%s is not the progress log as a run left it: it stays as it is, and that of this run is among its views; "+
			"move it away to have that written there", name))
		return nil
	}
	sum := ledger.Sum(text.Bytes())
	if was == sum {
		return nil
	}
	if err = write(v.run, logName, marked(sum, was)); err == nil && durable {
		err = atomicfile.WriteIn(v.top, name, text.Bytes(), 0o644)
	} else if err == nil {
		err = v.replaceRequested(name, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("exec: progress log %s: %w", name, err)
	}
	return nil
}

// replaceRequested is replace of a file of the workspace, by one in the folder of
// the run.
func (v *Views) replaceRequested(name string, text []byte) error {
	dir, err := filepath.Rel(v.Work.Root, v.Home.RunDir(v.began.Run))
	if err != nil {
		return err
	}
	return replace(v.top, name, path.Join(filepath.ToSlash(dir), "live"), text)
}

// theirs stands for what no run wrote.
const theirs = ledger.Digest("theirs")

// standing is the digest of what a run wrote and stands there now; "" for
// nothing.
func (v *Views) standing(name string) (ledger.Digest, error) {
	text, err := read(v.top, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case len(bytes.TrimSpace(text)) == 0:
		return "", nil // nobody's words are lost
	}
	sum := ledger.Sum(text)
	ids, err := v.Home.Runs()
	if err != nil {
		return "", err
	}
	for _, id := range slices.Backward(ids) {
		mark, err := os.ReadFile(filepath.Join(v.Home.RunDir(id), logName))
		if err == nil && slices.Contains(strings.Fields(string(mark)), string(sum)) {
			return sum, nil
		}
	}
	return theirs, nil
}
