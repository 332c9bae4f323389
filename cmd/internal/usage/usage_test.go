package usage

import (
	"fmt"
	"strings"
	"testing"
)

// many are n flags, of two groups by turns.
func many(n int) (flags []Flag) {
	for i := range n {
		flags = append(flags, Flag{Group: []string{"who", "how"}[i%2], Name: fmt.Sprintf("flag%d", i), Help: "helps"})
	}
	return flags
}

// TestGroups: few flags are one group, many are told group by group.
func TestGroups(t *testing.T) {
	if got := (Command{Flags: many(7)}).Groups(); len(got) != 1 || got[0].Title != "flags" || len(got[0].Flags) != 7 {
		t.Errorf("few flags: %v", got)
	}
	got := Command{Flags: append(many(8), Flag{Name: "other"})}.Groups()
	if len(got) != 3 || got[0].Title != "who" || len(got[0].Flags) != 4 || got[2].Title != "flags" {
		t.Errorf("many flags: %v", got)
	}
	if got := (Command{}).Groups(); got != nil {
		t.Errorf("no flags: %v", got)
	}
}

// TestHelp holds what a help looks like.
func TestHelp(t *testing.T) {
	var out strings.Builder
	c := Command{Name: "run", Args: "PATH", Does: "runs " + strings.Repeat("long ", 20),
		Examples: []string{"planlock run plan.toml"},
		Flags:    []Flag{{Name: "dir", Short: "d", Placeholder: "FOLDER", Help: "the workspace", Default: "."}}}
	if err := Help(&out, c); err != nil {
		t.Fatal(err)
	}
	want := `planlock run PATH

runs long long long long long long long long long long long long long long long
long long long long long

arguments:
  PATH        a plan: its file, or a folder that holds one, in any format that
              planlock reads

examples:
  planlock run plan.toml

flags:
  -d, --dir FOLDER
      the workspace (default .)
`
	if got := out.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	out.Reset()
	commands := []Command{{Group: "A", Name: "one", Does: strings.Repeat("x", 90)}, {Group: "B", Name: "two", Does: "y"}}
	if err := List(&out, commands); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nA:\n  one         xxx", "\nB:\n  two         y\n", "--color", "130"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
