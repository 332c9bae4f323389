package scan

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/ledger"
)

// Contents whose statuses are old enough are taken from the prior tree, and
// only those.
func TestScanTrustsOldStampsOnly(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC)
	at := func(d time.Duration) status {
		when := now.Add(d)
		return status{dev: 1, ino: 2, changed: when.Unix(), changedNs: uint32(when.Nanosecond())}
	}
	good := trust{start: now, dev: 1, usable: true, grain: fine}
	with := func(change func(*trust)) trust { t := good; change(&t); return t }
	later := func(d time.Duration) trust { return with(func(t *trust) { t.start = t.start.Add(d) }) }
	coarsely := with(func(t *trust) { t.grain = coarse })
	whole := at(-678_901_234 * time.Nanosecond) // a time without fractions: 0.68 s before
	tests := []struct {
		name  string
		trust trust
		stamp status
		want  bool
	}{
		{"old", good, at(-time.Second - 1), true},
		{"within a tick", good, at(-time.Millisecond - 1), false},
		{"just within the margin", good, at(-fineMargin), false},
		{"just beyond the margin", good, at(-fineMargin - 1), true},
		{"after the start", good, at(time.Millisecond + 1), false},
		{"in the future", good, at(time.Hour + 1), false},
		{"coarse and young", good, whole, false},
		{"coarse and old", later(5 * time.Second), whole, true},
		{"just within the coarse margin", later(coarseMargin - 678_901_234), whole, false},
		{"just beyond the coarse margin", later(coarseMargin - 678_901_233), whole, true},
		{"a coarse clock: just within its margin", coarsely, at(-coarseMargin), false},
		{"a coarse clock: just beyond its margin", coarsely, at(-coarseMargin - 1), true},
		{"a clock that was not asked", with(func(t *trust) { t.grain = unknown }), at(-time.Second - 1), false},
		{"a clock that misleads", with(func(t *trust) { t.grain = misleading }), at(-time.Hour - 1), false},
		{"a clock that went back", later(-time.Hour), at(-1), false},
		{"another file system", with(func(t *trust) { t.dev = 9 }), at(-time.Second - 1), false},
		{"a file system with unknown rules", with(func(t *trust) { t.usable = false }), at(-time.Second - 1), false},
		{"no stamp", good, status{}, false},
		{"before the beginning of time", good, status{dev: 1, ino: 2, changed: -1 << 62, changedNs: 1}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := tt.trust.belief()
			if got := b.covers(&tt.stamp); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A clock that was set back may show a time twice, so nothing is believed then.
func TestScanClockSetBack(t *testing.T) {
	for _, tt := range []struct {
		wall, passed time.Duration
		want         bool
	}{
		{time.Minute, time.Minute, false},
		{time.Minute - clockSlack, time.Minute, false},
		{time.Minute - clockSlack - 1, time.Minute, true},
		{-time.Hour, time.Minute, true},
		{time.Hour, time.Minute, false}, // set forward, or the machine slept
	} {
		if got := setBack(tt.wall, tt.passed); got != tt.want {
			t.Errorf("%v on the wall while %v passed: got %v", tt.wall, tt.passed, got)
		}
	}
}

func TestScanDoesNotReadAgain(t *testing.T) {
	eachWay(t, func(t *testing.T, s Scanner) {
		dir := t.TempDir()
		write(t, dir, "f", "x")
		tree := scanWith(t, s, dir, nil)
		if !memoryOf(tree).trust.usable {
			t.Skip("no stamps are trusted on this file system")
		}
		age(tree)
		marked := ledger.Sum([]byte("marked"))
		memoryOf(tree).root.Rows()[0].Sum, _ = marked.Sum()
		if e, _ := scanWith(t, s, dir, tree).Lookup("f"); e.Digest != marked {
			t.Error("the content was read although its stamps are old and did not move")
		}
		if err := os.Chmod(filepath.Join(dir, "f"), 0o600); err != nil {
			t.Fatal(err)
		}
		if e, _ := scanWith(t, s, dir, tree).Lookup("f"); e.Digest == marked {
			t.Error("the content was not read although its stamps moved")
		}
	})
}
