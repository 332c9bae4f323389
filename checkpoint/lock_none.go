//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package checkpoint

import (
	"errors"
	"os"
)

func lockFile(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }

func shareFile(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }

func unlockFile(*os.File) error { return nil }
