package exec

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/atomicfile"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// documents is the table of documents that are drawn of runs of the workspace.
func (w Workspace) documents() []document.Document {
	if w.Documents == nil {
		return document.All()
	}
	return w.Documents
}

// drawDocuments writes all documents of a run that is over, and returns their
// digests.
func (e *execution) drawDocuments(d *disk.Disk, ws Workspace) (map[string]ledger.Digest, error) {
	model, err := document.New(e.Plan, e.Rec.Run, nil)
	if err != nil {
		return nil, err
	}
	views, err := writeDocuments(d, ws.ViewDir(e.Rec.Run.Started.Run), ws.documents(), model)
	if err != nil {
		return nil, err
	}
	return views, e.writeRequested(d, model)
}

// writeDocuments writes documents into dir, each of them whole or not at all,
// and removes those that have nothing to say any more. It returns their
// digests.
func writeDocuments(d *disk.Disk, dir string, table []document.Document, m *document.Model) (map[string]ledger.Digest,
	error) {
	if err := d.Anywhere().MakeFolders(dir, 0o755); err != nil {
		return nil, fmt.Errorf("exec: views: %w", err)
	}
	drawn := map[string]ledger.Digest{}
	for _, f := range document.Files(table, m) {
		sum, err := sumWritten(func(sum io.Writer) error {
			return atomicfile.Stream(d, filepath.Join(dir, f.Name), 0o644, func(w io.Writer) error {
				return f.Draw(io.MultiWriter(w, sum))
			})
		})
		if err != nil {
			return nil, fmt.Errorf("exec: view %s: %w", f.Name, err)
		}
		drawn[f.Name] = sum
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

// sumWritten is the digest of everything that write writes.
func sumWritten(write func(io.Writer) error) (ledger.Digest, error) {
	h := sha256.New()
	if err := write(h); err != nil {
		return "", err
	}
	return ledger.DigestOf([sha256.Size]byte(h.Sum(nil))), nil
}

// tellNext draws the documents of a run that is let go of, for whoever goes on
// with it. They can be drawn again from the journal, so that it goes on without
// them where they cannot be written.
func (e *execution) tellNext(ctx context.Context) {
	ws := e.workspace()
	var ahead []document.Document
	for _, d := range ws.documents() {
		if d.Ahead {
			ahead = append(ahead, d)
		}
	}
	model, err := document.New(e.Plan, e.Rec.Run, nil)
	if err == nil {
		_, err = writeDocuments(disk.From(ctx), ws.ViewDir(e.Rec.Run.Started.Run), ahead, model)
	}
	if err != nil {
		e.Rec.Log.Warn("the views for the next session cannot be written", "err", err)
	}
}

// writeRequested writes the progress log where the plan asks for it.
func (e *execution) writeRequested(d *disk.Disk, m *document.Model) error {
	path, ok := requestedLog(e.Plan)
	if !ok || e.Rec.Run.Started.Shadow {
		return nil
	}
	root, err := d.OpenRoot(e.Work.Root)
	if err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	defer root.Close()
	err = atomicfile.StreamIn(root, path, 0o644, func(w io.Writer) error { return document.Progress(w, m) })
	if err != nil {
		return fmt.Errorf("exec: progress log %s: %w", path, err)
	}
	return nil
}

// requestedLog is where the plan asks for its progress log, besides the views.
func requestedLog(p *plan.Plan) (string, bool) {
	for _, s := range p.Settings {
		if s.Key == "logging.output_file" && s.Value.Text != "" && filepath.IsLocal(s.Value.Text) {
			return s.Value.Text, true
		}
	}
	return "", false
}

// DrawViews writes the documents of a run, as they are now, into its view
// folder.
func (w Workspace) DrawViews(ctx context.Context, run *history.Run) error {
	p, err := w.Plan(ctx, run)
	if err != nil {
		return err
	}
	model, err := document.New(p, run, nil)
	if err != nil {
		return err
	}
	_, err = writeDocuments(disk.From(ctx), w.ViewDir(run.Started.Run), w.documents(), model)
	return err
}
