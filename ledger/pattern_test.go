package ledger

import (
	"testing"
	"unicode/utf8"
)

// A pattern that passes can be matched against anything, and stands for itself.
func FuzzCheckPattern(f *testing.F) {
	f.Add("src/**/[a-z]?.{go,mod}", "src/a/b.go")
	f.Add("{a,{b,c}}*", "\xff/\n")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if err := CheckPattern(pattern); err != nil {
			return
		}
		if !utf8.ValidString(pattern) || checkPath(pattern) != "" {
			t.Errorf("%q passes", pattern)
		}
		if !Match(pattern, pattern) {
			t.Errorf("%q does not stand for itself", pattern)
		}
		if Match(pattern, path) && !IsGlob(pattern) && pattern != path {
			t.Errorf("%q is no glob and matches %q", pattern, path)
		}
	})
}
