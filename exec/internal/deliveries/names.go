package deliveries

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/ledger"
)

// tellOfNames says which files that are about to be replaced have further names:
// those keep what they hold.
func (d *Deliveries) tellOfNames(changes []ledger.Change) {
	var several []string
	for _, c := range changes {
		if c.Before == nil || c.Before.Kind != ledger.File || c.After == nil {
			continue
		}
		info, err := os.Lstat(filepath.Join(d.Work.Root, filepath.FromSlash(c.Path)))
		if err == nil && names(info) > 1 {
			several = append(several, ledger.Quote(c.Path))
		}
	}
	if len(several) > 0 {
		d.Warn("files that a step changed have further names (hard links), which keep what was there: " +
			strings.Join(bound.First(several, 5), ", ") + "; link them anew where they are to stay one file")
	}
}
