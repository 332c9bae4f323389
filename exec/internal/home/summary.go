package home

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
)

// maxSummary bounds what is looked at: nobody reads a summary of 16 MB.
const maxSummary = 16 << 20

// summarised is the line of a summary that names its run.
var summarised = lazyre.New(`(?m)^run: "([0-9A-Z]{26})"\r?$`)

// Summary reports whether a file is a summary that a run of the workspace drew,
// as it was drawn: nobody else wrote it, and nobody changed it since.
func (h Home) Summary(file string) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSummary {
		return false
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	found := summarised.FindStringSubmatch(string(text))
	if found == nil {
		return false
	}
	drawn, err := filepath.Glob(filepath.Join(h.ViewDir(found[1]), "*SUMMARY.md"))
	if err != nil {
		return false
	}
	if told, err := os.ReadFile(h.told(found[1])); err == nil &&
		slices.Contains(strings.Fields(string(told)), string(ledger.Sum(text))) {
		return true
	}
	for _, name := range drawn {
		if kept, err := os.ReadFile(name); err == nil && bytes.Equal(kept, text) {
			return true
		}
	}
	return false
}

// told is the file in the folder of a run that has the digests of the summaries
// which were written beside its plan and say more than its documents do: that
// it was set back since it ended.
func (h Home) told(run string) string { return filepath.Join(h.RunDir(run), "summaries") }

// Told notes that a summary of a run is about to be written beside its plan, so
// that [Home.Summary] knows it.
func (h Home) Told(ctx context.Context, run string, summary ledger.Digest) error {
	name := h.told(run)
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case slices.Contains(strings.Fields(string(text)), string(summary)):
		return nil
	}
	text = append(text, summary+"\n"...)
	return disk.From(ctx).ReplaceBy(name, 0o644, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
