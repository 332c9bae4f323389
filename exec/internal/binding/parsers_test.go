package binding

import (
	"testing"

	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/golang"
)

// A file may be of a language where the end of its name is not said.
func TestMayRead(t *testing.T) {
	for pattern, want := range map[string]bool{
		"a/b.go": true, "a/b.txt": false, "**/*.go": true, "**/*.txt": false, "src/**": true, "src/*": true, "a*/b.txt": false,
		"src/{a,b}.go": true, "src/*.{ts,go}": true, "cmd/main*": true, "v1.[0-9]/x.md": false, "Makefile": false,
	} {
		if got := mayRead(source.Language(golang.Language{}), pattern); got != want {
			t.Errorf("%q: %v, want %v", pattern, got, want)
		}
	}
}
