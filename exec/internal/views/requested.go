package views

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/ledger"
)

// logName is the file in the folder of a run that says which progress log it
// wrote into the workspace: digests of the latest one and of the one before.
const logName = "log"

// writeRequested writes the progress log where the plan asks for it, unless
// something stands there that no run wrote, or that somebody changed since, or its
// folder is not there.
func (v *Views) writeRequested(ctx context.Context, m *document.Model, durable bool) error {
	name, ok := session.RequestedLog(v.Plan)
	if !ok || v.began.Shadow {
		return nil
	}
	folder, err := v.top.Stat(path.Dir(name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !folder.IsDir() {
		v.untold(fmt.Sprintf("the progress log %s is not written: its folder is not there; "+
			"that of this run is among its views", name))
		return nil
	}
	var text bytes.Buffer
	if err := document.Progress(&text, m); err != nil {
		return err
	}
	was, err := v.standing(ctx, name)
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
		err = v.top.Replace(name, text.Bytes(), 0o644)
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
func (v *Views) standing(ctx context.Context, name string) (ledger.Digest, error) {
	info, err := v.top.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return theirs, nil
	}
	text, err := read(v.top, name)
	switch {
	case err != nil:
		return "", err
	case len(bytes.TrimSpace(text)) == 0:
		return "", nil // nobody's words are lost
	}
	sum := ledger.Sum(text)
	ids, err := v.Home.IDs(ctx)
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
