//go:build !linux

package layer

import (
	"errors"
	"io/fs"
	"os"
)

// marks would be the attributes in which an overlay keeps its notes; there are
// no overlays here.
type marks string

const (
	trustedMarks marks = "trusted.overlay."
	userMarks    marks = "user.overlay."
)

func (marks) value(*os.File, string) (string, error) { return "", nil }

func (marks) list(*os.File) (notes, error) { return nil, nil }

func whiteout(fs.FileInfo) bool { return false }

func hide(string) error { return errors.ErrUnsupported }

func bestow(string, fs.FileInfo) error { return nil }
