//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package file

import (
	"errors"
	"os"
)

func Lock(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }

func Share(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }

func Unlock(*os.File) error { return nil }
