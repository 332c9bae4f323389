package ledger

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	controllerDir = ".planlock"
	gitDir        = ".git"
)

// Reserved reports whether a path or glob is, or lies in, a folder .git or
// .planlock, wherever that lies: what git or a controller goes by is no step's
// to change, so a contract cannot declare it. The spelling does not count:
// .GIT, "git~1" and ".git." are the same folder on some file systems.
func Reserved(pattern string) bool {
	for name := range strings.SplitSeq(pattern, "/") {
		name, _, _ = strings.Cut(name, ":") // a stream of the folder is the folder
		name = strings.TrimRight(name, ". ")
		for _, own := range []string{gitDir, "git~1", controllerDir} {
			if strings.EqualFold(name, own) {
				return true
			}
		}
	}
	return false
}

// Unportable says what is wrong with a path or glob whose names are no names of
// files everywhere, or "": a name that no file system can hold, and one by
// which Windows means something else, a device or another file. A name with a
// glob in it is not judged, as it may stand for others.
func Unportable(pattern string) string {
	for name := range strings.SplitSeq(pattern, "/") {
		switch {
		case strings.ContainsAny(name, "*?[]{}"):
		case len(name) > maxName:
			return fmt.Sprintf("has a name of %d bytes, and no file system holds one of more than %d",
				len(name), maxName)
		case isDevice(name):
			return fmt.Sprintf("has the name %q, by which Windows means a device", name)
		case strings.TrimRight(name, ". ") != name:
			return fmt.Sprintf("has the name %q, by which Windows means %q", name, strings.TrimRight(name, ". "))
		case strings.Contains(name, ":"):
			return fmt.Sprintf("has the name %q, by which Windows means a hidden part of another file", name)
		}
	}
	return ""
}

// maxName is how many bytes the name of a file has at most.
const maxName = 255

// isDevice reports whether Windows takes the name of a file for a device, as it
// does in each folder and with each extension.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(strings.ToUpper(name), ".")
	name = strings.TrimRight(name, " ")
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, ok := strings.CutPrefix(name, "COM")
	if !ok {
		port, ok = strings.CutPrefix(name, "LPT")
	}
	return ok && utf8.RuneCountInString(port) == 1 && strings.Contains("123456789\u00b9\u00b2\u00b3", port)
}
