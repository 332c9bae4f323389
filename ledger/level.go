package ledger

// A Level says how closely a scan looks at a path. The levels are ordered: each
// sees less than the one before, and takes less time.
type Level int

const (
	// Full sees every change of content, mode, target and kind, and everything
	// can be restored. It misses a write through a memory map that the system
	// has not written back, by a process that is still there, and what doc.go
	// says is no part of a tree.
	Full Level = iota
	// Tracked sees what Full sees, and nothing is restored: what a step
	// left there stays, also when the step is undone.
	Tracked
	// Stamps looks at folders only, and at names only where a folder's stamps
	// moved: it sees what is created, removed, renamed, or turns from a folder
	// into something else or back, and the modes of folders. It misses every
	// change behind a name that stays: contents, sizes and modes of files,
	// targets of links, and a file that is replaced by another of its name.
	// What is no folder is listed as Special. Nothing is restored.
	Stamps
	// Ignored sees nothing. A restore leaves it alone.
	Ignored
)

// String is how people call the level.
func (l Level) String() string {
	switch l {
	case Full:
		return "full"
	case Tracked:
		return "tracked"
	case Stamps:
		return "stamps"
	}
	return "ignored"
}
