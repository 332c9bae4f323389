//go:build !linux

package disk

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

func syncData(f *os.File) error { return f.Sync() }

// makeFIFO cannot be done: there is no portable way in an open folder.
func makeFIFO(*os.Root, string, fs.FileMode) error { return errors.ErrUnsupported }

// setLinkTime does nothing: there is no portable way.
func setLinkTime(*os.Root, string, time.Time) error { return nil }

func setFileTime(f *os.File, t time.Time) error { return os.Chtimes(f.Name(), time.Time{}, t) }
