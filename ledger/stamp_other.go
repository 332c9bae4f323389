//go:build !linux && !darwin

package ledger

import (
	"io/fs"
	"os"
	"time"
)

const openFlags = os.O_RDONLY

// stampOf knows nothing that could be trusted here: all contents are read in every scan.
func stampOf(fs.FileInfo) stamp { return stamp{} }

func newTrust(_ string, now time.Time) trust { return trust{start: now} }
