//go:build !linux

package traits

import (
	"io/fs"
	"os"
)

// Elsewhere everything belongs to who made it, and attributes are what the
// system makes of them: only modes are looked at.
func owner(fs.FileInfo) (uid, gid uint32) { return uint32(os.Geteuid()), uint32(os.Getegid()) }

func attributes(string) ([]string, error) { return nil, nil }

func attribute(string, string) (value []byte, there bool, err error) { return nil, false, nil }
