package checkpoint

import (
	"fmt"

	"github.com/planlock/planlock/ledger"
)

// A DamagedError says that what is kept under a digest is something else.
type DamagedError struct {
	Digest ledger.Digest
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("checkpoint: the content kept as %q is damaged", string(e.Digest))
}

// A ChangedError says that a file is no longer what the scan saw. Scan again.
type ChangedError struct {
	Path string
	Err  error // what it is instead, if something stood in the way; may be nil
}

func (e *ChangedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("checkpoint: %q changed while it was being kept: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("checkpoint: %q changed while it was being kept", e.Path)
}

func (e *ChangedError) Unwrap() error { return e.Err }

// A TooLargeError says that a file is larger than Store.MaxContent.
type TooLargeError struct {
	Path string
	Size int64 // in bytes, as the system gives it: holes count
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("checkpoint: %q has %d bytes, more than are kept", e.Path, e.Size)
}
