package builtin_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/plan"
)

// What nobody can say of a file is never taken for a yes, and says so: under
// every profile, for classes, symbols and non-goals.
func TestUnreadFilesAreUndecided(t *testing.T) {
	class := func(c plan.SemanticChange) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Step.SemanticChange = c }
	}
	under := func(profile plan.Profile, set func(*gate.Pass)) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Plan.Profile = profile; set(p) }
	}
	vouched := func(set func(*gate.Pass), paths ...string) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Vouched = paths; set(p) }
	}
	symbols := func(names ...string) func(*gate.Pass) {
		return func(p *gate.Pass) {
			p.Step.Artifacts = &plan.Artifacts{Modify: []string{"**"}, SymbolsAdd: append([]string{}, names...)}
		}
	}
	modifies := func(p *gate.Pass) { p.Step.Artifacts = &plan.Artifacts{Modify: []string{"**"}} }
	protects := func(names ...string) func(*gate.Pass) {
		return func(p *gate.Pass) {
			p.Plan.NonGoals = []plan.NonGoal{{ID: "N1", Text: "leave it", Symbols: names}}
		}
	}
	was, is := files{"a/user.rb": "class User\nend\n"}, files{"a/user.rb": "class Account\nend\n"}
	pass, unread := []string{"pass"}, []string{"fail", "unread a/user.rb"}
	try(t, "semantic-class", []trial{
		{"preserving", was, is, class(plan.Preserving), unread},
		{"extending", was, is, class(plan.Extending), unread},
		{"modifying", was, is, class(plan.Modifying), pass},
		{"under observe", was, is, under(plan.Observe, class(plan.Preserving)), unread},
		{"no class under observe", was, is, under(plan.Observe, class("")), pass},
		{"a person looked", was, is, vouched(class(plan.Preserving), "a/user.rb"), pass},
		{"a person looked at another", was, is, vouched(class(plan.Preserving), "user.rb"), unread},
		{"a new file takes nothing away", nil, is, class(plan.Extending), pass},
		{"a new file may offer something", nil, is, class(plan.Preserving), unread},
		{"a file that is gone", was, nil, class(plan.Extending), unread},
		{"mode alone", was, was, class(plan.Preserving), pass},
		{"a text is no program", files{"r.md": "a"}, files{"r.md": "b"}, class(plan.Preserving), pass},
		{"test data", files{"testdata/a.rb": "a"}, files{"testdata/a.rb": "b"}, class(plan.Preserving), pass},
		{"Go that did not parse", files{"p/p.go": "package p\nfunc {"}, files{"p/p.go": "package p\n"},
			class(plan.Preserving), []string{"fail", "unread p/p.go"}},
		{"a break that is sure is said", files{"p/p.go": "package p\nfunc F() {}\n", "u.rb": "a"},
			files{"p/p.go": "package p\n", "u.rb": "b"}, class(plan.Preserving),
			[]string{"fail", "semantic-class p/p.go:2", "unread u.rb"}},
	})
	try(t, "artifacts", []trial{
		{"no symbols", was, is, symbols(), unread},
		{"a symbol", was, is, under(plan.Observe, symbols("a/user.User")), []string{"fail", "symbol-missing", "unread a/user.rb"}},
		{"a public symbol of a step that says nothing", files{"p/p.go": "package p\n"},
			files{"p/p.go": "package p\nfunc F() {}\n"}, modifies, []string{"fail", "symbol-extra p/p.go:2"}},
		{"a symbol that nobody else can use", files{"p/p.go": "package p\n"},
			files{"p/p.go": "package p\nfunc f() {}\n"}, modifies, pass},
		{"a public symbol under observe", files{"p/p.go": "package p\n"},
			files{"p/p.go": "package p\nfunc F() {}\n"}, under(plan.Observe, modifies), pass},
		{"a test", files{"p/p_test.go": "package p\n"},
			files{"p/p_test.go": "package p\nfunc TestF() {}\n"}, modifies, pass},
		{"nothing said", was, is, func(p *gate.Pass) { p.Step.Artifacts = &plan.Artifacts{Modify: []string{"**"}} }, pass},
		{"a symbol that was not declared, under observe", files{"p/p.go": "package p\n"},
			files{"p/p.go": "package p\nfunc F() {}\n"}, under(plan.Observe, symbols()), []string{"fail", "symbol-extra p/p.go:2"}},
	})
	try(t, "non-goals", []trial{
		{"of that file", was, is, protects("a/user.User"), unread},
		{"in the spelling of a language", was, is, protects("a.user.User"), unread},
		{"of that folder", was, is, under(plan.Observe, protects("a.User")), unread},
		{"anywhere", was, is, protects("Models.User"), unread},
		{"of a language that is read", files{"a/user.rb": "a", "p/p.go": "package p\nfunc F() {}\n"},
			files{"a/user.rb": "b", "p/p.go": "package p\nfunc F() {}\n"}, protects("p.F"), pass},
		{"a person looked", was, is, vouched(protects("a/user.User"), "a/user.rb"), pass},
		{"no program", files{"a.txt": "a"}, files{"a.txt": "b"}, protects("a.User"), pass},
		{"Go that does not parse", files{"p/p.go": "package p\nfunc F() {}\n"}, files{"p/p.go": "package p\nfunc F() {}\nfunc {"},
			protects("p.F"), []string{"fail", "unread p/p.go"}},
	})
}

// A symbol of a language that nobody reads is neither there nor not there.
func TestSymbolsThatNobodyCanFind(t *testing.T) {
	for kind, want := range map[string]string{"symbol_exists": "undecided", "symbol_absent": "undecided"} {
		pass := gatetest.Pass(t, nil, files{"app/user.rb": "class User\nend\n"})
		pass.Step.Postconditions = []plan.Check{{Kind: kind, Symbol: "app/user.User"}}
		j := gatetest.Judge(t.Context(), named(t, "postconditions"), pass)
		if got := brief(j); got[0] != want || !strings.Contains(j.Err.Error(), "nobody reads Ruby here") {
			t.Errorf("%s: %v, %v", kind, got, j.Err)
		}
	}
}
