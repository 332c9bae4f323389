package checkpoint

import "context"

// A Folder is Blobs in a folder.
type Folder struct{}

// OpenFolder opens or makes it.
func OpenFolder(dir string) (*Folder, error) { return nil, nil }

// OpenFileLog opens or makes a Log in a file.
func OpenFileLog(path string) (*FileLog, error) { return nil, nil }

// FileLog is a Log in a file.
type FileLog struct{}

// Memory is Blobs in memory, MemoryLog a Log in memory: for tests and for runs that need no tomorrow.

// Hold takes the exclusive lock on a workspace, without waiting. A dead owner does not keep it. *HeldError says who holds it.
func Hold(ctx context.Context, dir string) (release func() error, err error) { return nil, nil }

// HeldError says who holds a workspace.
type HeldError struct{ Dir, Holder string }

func (e *HeldError) Error() string { return "" }
