package scan

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/ledger"
)

// Trees 13: 8000 writes of the same size, all with the same time of
// modification, and new files, while scans run and between them. No content and
// no name is missed.
func TestTreesRacyWrites(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 50
	}
	eachWay(t, func(t *testing.T, s Scanner) { racyWrites(t, s, t.TempDir(), rounds, sameProcess) })
}

// sameProcess keeps the tree of a scan as it is for the next one.
func sameProcess(_ testing.TB, _ Scanner, _ string, tree *ledger.Tree) *ledger.Tree { return tree }

// racyWrites makes 40 writes and a new file in each round, on the file system
// of dir. keep is what becomes of a tree until the next scan begins with it.
func racyWrites(t *testing.T, s Scanner, dir string, rounds int,
	keep func(testing.TB, Scanner, string, *ledger.Tree) *ledger.Tree) {
	t.Helper()
	const files = 40
	when := time.Unix(1e9, 0)
	name := func(i int) string { return fmt.Sprintf("d%d/f%d", i%5, i) }
	for i := range 5 {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint("d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var prior *ledger.Tree
	missed := 0
	for round := range rounds {
		done := make(chan error)
		go func() {
			for i := range files {
				path := filepath.Join(dir, name(i))
				if err := os.WriteFile(path, fmt.Appendf(nil, "%03d %06d", i, round), 0o644); err != nil {
					done <- err
					return
				}
				os.Chtimes(path, when, when)
			}
			done <- os.WriteFile(filepath.Join(dir, fmt.Sprintf("d%d/new%d", round%5, round)), nil, 0o644)
		}()
		if tree, err := s.Scan(context.Background(), dir, prior); err == nil && round%3 > 0 {
			prior = keep(t, s, dir, tree)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		prior = scanWith(t, s, dir, prior)
		for i := range files {
			if e, _ := prior.Lookup(name(i)); e.Digest != ledger.Sum(fmt.Appendf(nil, "%03d %06d", i, round)) {
				missed++
			}
		}
		if _, ok := prior.Lookup(fmt.Sprintf("d%d/new%d", round%5, round)); !ok {
			missed++
		}
		prior = keep(t, s, dir, prior)
	}
	if missed > 0 {
		t.Errorf("%d of %d writes were missed", missed, rounds*(files+1))
	}
}
