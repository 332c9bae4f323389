package git

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Top is the folder of the working tree in which a folder lies, and where in it
// that is, with slashes; "." if it is the top itself. Not ok if it lies in none.
func Top(dir string) (top, rel string, ok bool) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, gitDir)); err == nil {
			rel, err = filepath.Rel(at, dir)
			return at, filepath.ToSlash(rel), err == nil
		}
		if at == filepath.Dir(at) {
			return "", "", false
		}
	}
}

// Below are the lines of a .gitignore as they count in a folder below its own: a
// pattern that begins at its folder loses the part that leads there, and one that
// leads elsewhere is left out.
func Below(gitignore, folder string) string {
	var text strings.Builder
	for line := range strings.Lines(gitignore) {
		line = strings.TrimRight(line, " \t\r\n")
		rest, slash := strings.CutSuffix(line, "/")
		if strings.HasPrefix(line, "!") || strings.HasPrefix(line, "#") || !strings.Contains(rest, "/") {
			text.WriteString(line + "\n")
			continue
		}
		parts, leads := strings.Split(strings.TrimPrefix(rest, "/"), "/"), true
		for name := range strings.SplitSeq(folder, "/") {
			if len(parts) == 0 || parts[0] == "**" {
				break
			}
			if leads = ledger.Match(parts[0], name); !leads {
				break
			}
			parts = parts[1:]
		}
		if !leads || len(parts) == 0 {
			continue
		}
		text.WriteString("/" + path.Join(parts...))
		if slash {
			text.WriteString("/")
		}
		text.WriteString("\n")
	}
	return text.String()
}
