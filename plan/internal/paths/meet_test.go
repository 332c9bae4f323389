package paths_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan/internal/paths"
)

func TestMeet(t *testing.T) {
	for _, tt := range []struct {
		p, q string
		want bool
	}{
		{"a.go", "a.go", true}, {"a.go", "b.go", false}, {"a.go", "A.GO", true}, {"é", "e\u0301", true},
		{"src", "src/a.go", true}, {"src", "src-evil/a.go", false}, {"src/a.go", "src/b.go", false},
		{"src/**", "src", true}, {"src/**", "src/a/b.go", true}, {"src/**", "test/a.go", false},
		{"src/*.go", "src/a.go", true}, {"src/*.go", "src/a.txt", false}, {"src/*.go", "src/sub/a.go", false},
		{"src/*.go", "src/*.txt", false}, {"src/a*", "src/*b", true}, {"src/a*", "src/b*", false},
		{"**/*.md", "docs/**", true}, {"**/*.md", "src/a.go", false}, {"**", "a", true}, {"**/x", "**/y", false},
		{"a/**/x", "a/x", true}, {"a/**/x", "b/**/x", false}, {"a/**/b/**/c", "a/c", false},
		{"src/{a,b}.go", "src/b.go", true}, {"src/{a,b}/**", "src/{c,d}/**", false}, {"src/{a,b/c}", "src/b/c", true},
		{"src/{a,{b,c}x}", "src/cx", true}, {"src/?.go", "src/a.go", true}, {"src/?.go", "src/ab.go", false},
		{"src/[ab].go", "src/a.go", true}, {"src/[ab].go", "src/ab.go", false}, {"src/[{,}]", "src/x", true},
		{"app/[id]/page.ts", "app/[id]/page.ts", true}, {"app/[id]/page.ts", "app/[[]id]/page.ts", true},
		{"app/[id]/page.ts", "app/[id]/x", false}, {"src", "src/*.go", true}, {"src/a", "*/a/b", false},
		{"{" + strings.Repeat("a,", 900) + "b}", "{" + strings.Repeat("c,", 900) + "d}", true}, // too many to tell
	} {
		for _, pair := range [][2]string{{tt.p, tt.q}, {tt.q, tt.p}} {
			if got := paths.Meet(pair[0], pair[1]); got != tt.want {
				t.Errorf("Meet(%q, %q) = %v", pair[0], pair[1], got)
			}
		}
	}
}

// Of two patterns that a path matches both, none is ever said to be apart from
// the other.
func TestMeetMissesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	var pattern func(depth int) string
	pattern = func(depth int) string {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			if depth > 0 && random.IntN(6) == 0 {
				b.WriteString("{" + pattern(depth-1) + "," + pattern(depth-1) + "}")
				continue
			}
			b.WriteString(pick("a", "b", "A", "/", "/", "/**/", "*", "?", "[ab]", "[!a]", "[a-c]", "é", "e\u0301", "**"))
		}
		return b.String()
	}
	names := []string{"a", "b", "ab", "aa", "A", "é", "e\u0301", "c"}
	var all []string
	for range 300 {
		path := pick(names...)
		for range random.IntN(3) {
			path += "/" + pick(names...)
		}
		all = append(all, path)
	}
	both := 0
	for range 40_000 {
		p, q := pattern(2), pattern(2)
		if ledger.CheckPattern(p) != nil || ledger.CheckPattern(q) != nil || paths.Meet(p, q) {
			continue
		}
		both++
		for _, path := range all {
			if ledger.Match(p, path) && ledger.Match(q, path) {
				t.Fatalf("%q matches %q and %q, which are said not to meet", path, p, q)
			}
		}
	}
	if both < 1000 {
		t.Errorf("only %d pairs do not meet", both)
	}
}
