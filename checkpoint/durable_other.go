//go:build !linux

package checkpoint

import "os"

func syncData(f *os.File) error { return f.Sync() }
