package ledger

import (
	"strings"
	"testing"
)

func TestReserved(t *testing.T) {
	for path, want := range map[string]bool{
		".git": true, ".git/config": true, ".GIT/hooks/x": true, "sub/.git/config": true, "a/b/.Git": true,
		"**/.git/hooks/*": true, "sub/GIT~1/config": true, ".git./config": true, ".git /config": true,
		".git::$INDEX_ALLOCATION/config": true, ".planlock": true, ".Planlock/a": true, "sub/.planlock/runs/x": true,
		".gitignore": false, "a/.github/x": false, ".planlock2": false, "git/x": false, "a.git/x": false, "**": false,
	} {
		if got := Reserved(path); got != want {
			t.Errorf("Reserved(%q) = %v", path, got)
		}
	}
}

func TestUnportable(t *testing.T) {
	long := strings.Repeat("n", 255)
	for path, want := range map[string]string{
		"CON": "a device", "docs/con": "a device", "nul.txt": "a device", "Aux.tar.gz": "a device", "PRN/x": "a device",
		"COM1": "a device", "lpt9.log": "a device", "com\u00b9": "a device", "CONOUT$": "a device", "nul .txt": "a device",
		"**/CON": "a device", "a.": `"a"`, "a /b": `"a"`, "dir../b": `"dir"`, "a:b": "hidden part",
		"a/" + long + "n": "256 bytes", strings.Repeat("\u00e9", 128): "256 bytes",
		long: "", "COM0": "", "COM10": "", "com": "", "console": "", "a.con": "", "null": "", "a b": "", ".a": "", "...a": "",
		"CO?": "", "{CON,a}": "", "[C]ON": "", "a/**": "", "drivers/i2c/au*.c": "",
	} {
		if got := Unportable(path); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("Unportable(%q) = %q, want %q", path, got, want)
		}
	}
}
