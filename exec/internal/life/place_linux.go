package life

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/planlock/planlock/internal/process/view"
	"github.com/planlock/planlock/ledger"
)

// Kinds of file systems on which a copy may share what it is a copy of.
const (
	btrfs    = 0x9123683e
	xfs      = 0x58465342
	bcachefs = 0xca451a4e
	zfs      = 0x2fc12fc1
)

// freeFor is how many bytes can be written in a folder by this user; not known
// where copies may take no space.
func freeFor(dir string) (free uint64, known bool) {
	var about syscall.Statfs_t
	if syscall.Statfs(dir, &about) != nil {
		return 0, false
	}
	switch uint32(about.Type) {
	case btrfs, xfs, bcachefs, zfs:
		return 0, false
	}
	return about.Bavail * uint64(about.Bsize), true
}

// taken is how many bytes of the disk a file takes; holes take none.
func taken(root string, e ledger.Entry) uint64 {
	const worth = 1 << 20 // smaller ones are not looked at
	if e.Size < worth {
		return uint64(e.Size)
	}
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(e.Path)))
	if err != nil {
		return 0
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return min(uint64(stat.Blocks)*512, uint64(e.Size))
	}
	return uint64(e.Size)
}

// mountsIn are the places in a folder at which something else is mounted.
func mountsIn(root string) (points []string) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	for _, point := range view.Below(string(mounts), root) {
		if rel, err := filepath.Rel(root, point); err == nil {
			points = append(points, strconv.Quote(rel))
		}
	}
	return points
}
