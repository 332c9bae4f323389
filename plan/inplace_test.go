package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// Under strict a step that is modifying or breaking says how the public symbols
// behave that it may change in place, and its plan says what must hold.
func TestChangedInPlace(t *testing.T) {
	const build = `postconditions = [{ kind = "go_build", package = "./..." }]`
	for name, tt := range map[string]struct {
		class, modify, says string
		unspecified         bool
	}{
		"a build says nothing":           {"breaking", "srv/srv.go", build, true},
		"nor does a file that is there":  {"modifying", "srv/srv.go", `postconditions = [{ kind = "file_exists", path = "srv/srv.go" }]`, true},
		"what a glob stands for":         {"modifying", "srv/**", build, true},
		"a glob of texts":                {"modifying", "srv/*.md", build, false},
		"a text":                         {"modifying", "README.md", build, false},
		"tests":                          {"modifying", "srv/srv_test.go", build, false},
		"nothing changes in place":       {"extending", "srv/srv.go", build, false},
		"a test":                         {"modifying", "srv/srv.go", `postconditions = [{ kind = "go_test", package = "./..." }]`, false},
		"words":                          {"modifying", "srv/srv.go", build + "\nexpected_output = \"Add subtracts\"", false},
		"an exit status says nothing":    {"modifying", "srv/srv.go", "expect = { exit = 0 }", true},
		"what is printed":                {"modifying", "srv/srv.go", `expect = { stdout_contains = "3" }`, false},
		"a check of a symbol":            {"breaking", "srv/srv.go", `postconditions = [{ kind = "symbol_exists", symbol = "srv.Add" }]`, false},
		"a surface of what stays":        {"breaking", "srv/srv.go", build + "\n[[surfaces]]\nsymbol = \"srv.Add\"", false},
		"a surface of what is added":     {"breaking", "srv/srv.go", "symbols = true\n" + build + "\n[[surfaces]]\nsymbol = \"srv.New\"", true},
		"a symbol comes, one may change": {"modifying", "srv/srv.go", "symbols = true\n" + `postconditions = [{ kind = "symbol_exists", symbol = "srv.New" }]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			symbols := ""
			if says, ok := strings.CutPrefix(tt.says, "symbols = true\n"); ok {
				tt.says, symbols = says, `, symbols_add = ["srv.New"], symbols_remove = []`
			}
			d := mustRead(t, fmt.Sprintf("schema = 1\n[goal]\ndescription = \"g\"\n[[tasks]]\nid = 1\n[[tasks.steps]]\nid = 1\nrun = \"true\"\nsemantic_change = %q\nartifacts = { modify = [%q]%s }\n%s\n",
				tt.class, tt.modify, symbols, tt.says))
			codes := codesOf(d.Check(plan.CheckOptions{}))
			if got := slices.Contains(codes, "public-surface-unspecified"); got != tt.unspecified {
				t.Errorf("it draws %q", codes)
			}
			public := symbols != "" || tt.class != "extending" && tt.modify != "srv/*.md" && tt.modify != "README.md" && tt.modify != "srv/srv_test.go"
			if got := slices.Contains(codes, "invariants-undeclared"); got != public {
				t.Errorf("invariants: %v, it draws %q", got, codes)
			}
		})
	}
}
