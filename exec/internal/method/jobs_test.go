package method_test

import (
	"slices"
	"testing"

	"github.com/planlock/planlock/exec/internal/method"
)

// TestJobs takes a command apart where its parts are commands by themselves, and
// nowhere else.
func TestJobs(t *testing.T) {
	for run, want := range map[string][]string{
		"sh a.sh --n 1 && sh b.sh":            {"sh a.sh --n 1", "sh b.sh"},
		`sh a.sh --t 'x && y' && ./b && c`:    {"sh a.sh --t 'x && y'", "./b", "c"},
		`sh a.sh --t 'it'\''s' && sh b.sh`:    {`sh a.sh --t 'it'\''s'`, "sh b.sh"},
		"sh a.sh":                             {"sh a.sh"},
		"sh a.sh && ":                         {"sh a.sh && "},
		"sh a.sh && x=1 sh b.sh":              {"sh a.sh && x=1 sh b.sh"},
		"cd sub && sh b.sh":                   {"cd sub && sh b.sh"},
		"sh a.sh && sh b.sh || true":          {"sh a.sh && sh b.sh || true"},
		`sh a.sh "$X" && sh b.sh`:             {`sh a.sh "$X" && sh b.sh`},
		"sh a.sh & sh b.sh":                   {"sh a.sh & sh b.sh"},
		"sh a.sh && sh b.sh > out":            {"sh a.sh && sh b.sh > out"},
		"(sh a.sh && sh b.sh)":                {"(sh a.sh && sh b.sh)"},
		"sh a.sh &&\nsh b.sh":                 {"sh a.sh &&\nsh b.sh"},
		`sh a.sh --t 'never ended && sh b.sh`: {`sh a.sh --t 'never ended && sh b.sh`},
		"":                                    {""},
	} {
		if got := method.Jobs(run); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", run, got, want)
		}
	}
}
