package script

import (
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
)

// Find is the first program of a name on the machine's path, and whether there is
// one. Scripts that look for another program when they are started are passed
// over: what they find depends on who asks, and where.
func Find(name string) (string, bool) {
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		p, err := osexec.LookPath(filepath.Join(folder, name))
		if err == nil && filepath.IsAbs(p) && !isScript(p) {
			return p, true
		}
	}
	return "", false
}

// isScript reports whether a program is a text that another one reads.
func isScript(p string) bool {
	f, err := os.Open(p)
	if err != nil {
		return false
	}
	defer f.Close()
	var begins [2]byte
	_, err = io.ReadFull(f, begins[:])
	return err == nil && string(begins[:]) == "#!"
}
