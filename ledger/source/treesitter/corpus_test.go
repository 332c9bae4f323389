package treesitter

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/ledger/source"
)

// TestCorpus reads all files below the folder that PLANLOCK_CORPUS names, and
// says how many do not parse and how long that takes.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("PLANLOCK_CORPUS")
	if dir == "" {
		t.Skip("PLANLOCK_CORPUS names no folder")
	}
	for _, l := range Languages() {
		files, size, broken, partly, unread, slowest := 0, 0, 0, 0, 0, time.Duration(0)
		began := time.Now()
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !l.Reads(p) {
				return err
			}
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			start := time.Now()
			read, err := l.Read(t.Context(), []source.Input{{Path: p, Content: text}})
			if err != nil {
				return err
			}
			files, size = files+1, size+len(text)
			if took := time.Since(start); files > 1 && took > slowest {
				slowest = took
			}
			switch f := read[0]; {
			case f.Unread != "":
				unread++
				t.Logf("%s: %s", p, f.Unread)
			case f.Partly != "":
				partly++
				t.Logf("%s: %s", p, f.Partly)
			case len(f.Faults) > 0:
				broken++
				t.Logf("%s:%d: %s", p, f.Faults[0].Line, f.Faults[0].Why)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if files > 0 {
			t.Logf("%s: %d files, %d bytes, %d do not parse, %d are understood in part, %d unread, %v, slowest %v", l.Name(), files, size, broken, partly, unread,
				time.Since(began).Round(time.Millisecond), slowest.Round(time.Millisecond))
		}
	}
}
