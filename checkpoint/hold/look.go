package hold

import (
	"context"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/file"
)

// Holder says, for people, who holds the workspace dir; "" if nobody does. It
// takes nothing and writes nothing, so that it can be asked again and again
// beside a controller that is about to begin.
//
// A holder that just died, and one that has not written its name yet, look
// alike for a moment: it waits until they do not.
func Holder(ctx context.Context, dir string) string {
	for limit := time.Now().Add(lingers); ; {
		shared, held := share(dir)
		for _, f := range shared {
			_ = file.Unlock(f) // closing it does the same, unless a child has it
			_ = f.Close()      // only read
		}
		if !held {
			return ""
		}
		if ctx.Err() != nil || time.Now().After(limit) || !nameless(dir) {
			return nameHolder(ctx, dir)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// nameless reports whether the lock file of dir names nobody who lives.
func nameless(dir string) bool {
	f := openLock(dir)
	if f == nil {
		return true
	}
	defer f.Close() // only read
	h := readHolder(f)
	return h == nil || h.gone()
}
