package layer

import (
	"os"
	"slices"
)

// Notes of an overlay about a folder or file.
const (
	opaqueNote   = "opaque"   // "y": nothing below it is merged
	redirectNote = "redirect" // what lies below it has this path, or this name in its folder
	whiteoutNote = "whiteout" // an empty file that stands for one that was removed
)

// folder reads the notes about an open folder.
func (m marks) folder(f *os.File, noted notes) (opaque bool, redirect string, err error) {
	if noted.has(opaqueNote) {
		text, err := m.value(f, opaqueNote)
		if err != nil || text == "y" {
			return true, "", err
		}
	}
	if noted.has(redirectNote) {
		redirect, err = m.value(f, redirectNote)
	}
	return false, redirect, err
}

// notes are the names of those about a file or folder.
type notes []string

func (n notes) has(name string) bool { return slices.Contains(n, name) }
