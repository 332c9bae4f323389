package ledger

import "time"

// A stamp is what the system says of an entry without reading it. Equal stamps mean an
// unchanged entry only under the conditions of trust.
type stamp struct {
	dev, ino uint64
	changed  int64 // nanoseconds since 1970 of the last change of content or attributes, as the file system has it
	modified int64 // the same of the last change of content; anybody can set it
}

// trust says which stamps of a scan a later scan may believe.
//
// A file that is written after it was scanned gets a new time of change, which no
// program can choose; but the file system's clock has ticks, and a write in the tick
// in which the file was scanned leaves the stamp as it was. So a stamp
// is believed only if it is older than the start of its scan by more than a tick:
// whatever is written later then has another one. On file systems whose clocks and
// rules are not known (network folders, for one) no stamp is believed and all
// contents are read.
type trust struct {
	start  time.Time
	dev    uint64 // the file system of the root: a mount further down may have other rules
	usable bool
}

const (
	// fineMargin is for times that show fractions of a millisecond, which come from a
	// system clock with ticks of at most 10 ms.
	fineMargin = 50 * time.Millisecond
	// coarseMargin is for all others: the coarsest ticks in use, those of FAT, are 2 s.
	coarseMargin = 3 * time.Second
)

func (t trust) covers(s stamp) bool {
	if !t.usable || s.dev != t.dev || s.ino == 0 {
		return false
	}
	margin := coarseMargin
	if s.changed%int64(time.Millisecond) != 0 {
		margin = fineMargin
	}
	return s.changed < t.start.Add(-margin).UnixNano()
}
