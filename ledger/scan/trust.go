package scan

import (
	"time"
)

// A trust says which statuses of a scan a later scan may believe.
//
// A file that is written after it was scanned gets a new time of change, which
// no program can choose; but the file system's clock has ticks, and a write in
// the tick in which the file was scanned leaves the time as it was. So a status
// is believed only if it is older than the start of its scan by more than a
// tick: whatever is written later then has another one. The same holds for a
// folder and the names in it. On file systems whose clocks and rules are not
// known (network folders, for one) nothing is believed: all names are listed
// and all contents are read.
type trust struct {
	start  time.Time // of the scan
	up     uptime    // about then
	dev    uint64    // the file system of the root: a mount further down may have other rules
	fs     uint64    // what else tells that file system apart; 0 where nothing does
	usable bool      // a kind of file system whose rules are known
	grain  grain     // what a probe said of its clock
}

// A grain is how fine the clock of a file system is.
type grain uint8

const (
	unprobed grain = iota // nobody asked yet
	unknown               // it could not be asked
	coarse                // its times show no fractions of a millisecond, or do not move when they should
	fine                  // its times follow this machine's clock in ticks of at most 10 ms
	// its times come from elsewhere, a program can set the time of change, or
	// writes through mappings move none
	misleading
)

const (
	// fineMargin is for fine clocks, where a time shows fractions of a
	// millisecond.
	fineMargin = 50 * time.Millisecond
	// coarseMargin is for all others: the coarsest ticks in use, those of FAT,
	// are 2 s.
	coarseMargin = 3 * time.Second
	// clockSlack is how much less than the time that passed the wall clock may
	// show before it counts as having been set back.
	clockSlack = 20 * time.Millisecond
)

// A belief is trust made ready for many questions.
type belief struct {
	on           bool
	dev          uint64
	fine, coarse int64 // nanoseconds since 1970: what changed before is believed
}

// belief turns margins into limits, once for a scan.
func (t trust) belief() belief {
	b := belief{on: t.usable && t.grain != misleading, dev: t.dev}
	b.coarse = t.start.Add(-coarseMargin).UnixNano()
	b.fine = b.coarse
	if t.grain == fine {
		b.fine = t.start.Add(-fineMargin).UnixNano()
	}
	return b
}

// years bounds the seconds of times that are believed: they fit into 64 bits of
// nanoseconds.
const years = 1 << 33

// covers reports whether an equal status means that nothing changed.
func (b *belief) covers(s *status) bool {
	if !b.on || s.dev != b.dev || s.ino == 0 || s.changed >= years || s.changed <= -years {
		return false
	}
	changed := s.changed*int64(time.Second) + int64(s.changedNs)
	if changed >= b.coarse && s.changedNs%uint32(time.Millisecond) == 0 {
		return false
	}
	return changed < b.fine
}

// setBack reports whether the wall clock was set back while passed went by on a
// clock that nobody can set. Times may then come a second time, and nothing is
// believed.
func setBack(wall, passed time.Duration) bool { return wall < passed-clockSlack }

// since is how much time passed from the start of an earlier scan, on a clock
// that nobody can set: the one that counts from the start of the machine, where
// there is one, else that of this process.
func (t *trust) since(old *trust) time.Duration {
	if t.up.known() && old.up.known() {
		return t.up.after - old.up.before
	}
	return t.start.Sub(old.start)
}

// next is the trust of a scan of the same folder that starts now, and what that
// may believe of the scan before. probe asks the file system, once in a chain
// of scans.
func (t trust) next(prior *trust, probe func() grain) (trust, belief) {
	if prior == nil || prior.dev != t.dev || prior.fs != t.fs || !prior.usable || !t.usable {
		return t, belief{}
	}
	old := *prior
	if old.grain == unprobed {
		old.grain = probe()
	}
	t.grain = old.grain
	if setBack(t.start.Round(0).Sub(old.start.Round(0)), t.since(&old)) {
		return t, belief{}
	}
	return t, old.belief()
}
