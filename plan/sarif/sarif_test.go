package sarif

import (
	"runtime"
	"testing"
)

func TestURIOf(t *testing.T) {
	tests := map[string]string{"a b/c#.md": "a%20b/c%23.md", "./x.md": "x.md", "../x.md": "../x.md"}
	if runtime.GOOS != "windows" {
		tests["/tmp/ä.md"] = "file:///tmp/%C3%A4.md"
	}
	for file, want := range tests {
		if got := uriOf(file); got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
}
