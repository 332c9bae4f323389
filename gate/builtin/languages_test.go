package builtin_test

import (
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/python"
	"github.com/planlock/planlock/plan"
)

// Ten changes of what a Python module offers, and what it protects, are judged
// as those of Go are.
func TestPython(t *testing.T) {
	l, ok := python.Find()
	if !ok {
		t.Skip("no python3")
	}
	reads := &source.Reader{Languages: []source.Language{l}}
	class := func(c plan.SemanticChange) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Sources, p.Step.SemanticChange = reads, c }
	}
	protects := func(name string) func(*gate.Pass) {
		return func(p *gate.Pass) {
			p.Sources, p.Plan.NonGoals = reads, []plan.NonGoal{{ID: "N1", Text: "leave it", Symbols: []string{name}}}
		}
	}
	one := func(text string) files { return files{"src/app/user.py": text} }
	const user = "class User:\n    def name(self, short=False):\n        return 1\n"
	failed, pass := []string{"fail", "semantic-class src/app/user.py:2"}, []string{"pass"}
	try(t, "syntax", []trial{
		{"a file that parses", nil, one(user), class(""), pass},
		{"a syntax error", one(user), one("class User:\n    def name(self:\n"), class(""), []string{"fail", "syntax src/app/user.py:2"}},
		{"a wrong indentation", one(user), one("def f():\n    a = 1\n      b = 2\n"), class(""), []string{"fail", "syntax src/app/user.py:3"}},
	})
	try(t, "semantic-class", []trial{
		{"a body", one(user), one("class User:\n    def name(self, short=False):\n        return 2\n"), class(plan.Preserving), pass},
		{"a method is renamed", one(user), one("class User:\n    def label(self, short=False):\n        return 1\n"),
			class(plan.Preserving), []string{"fail", "semantic-class src/app/user.py:2", "semantic-class src/app/user.py:2"}},
		{"and that is not modifying", one(user), one("class User:\n    def label(self, short=False):\n        return 1\n"),
			class(plan.Modifying), failed},
		{"a parameter comes", one(user), one("class User:\n    def name(self, long, short=False):\n        return 1\n"), class(plan.Extending), failed},
		{"a default changes", one(user), one("class User:\n    def name(self, short=True):\n        return 1\n"), class(plan.Modifying), pass},
		{"and that is not extending", one(user), one("class User:\n    def name(self, short=True):\n        return 1\n"), class(plan.Extending), failed},
		{"a removed export", one("__all__ = ['a', 'b']\ndef a(): pass\ndef b(): pass\n"), one("__all__ = ['a']\ndef a(): pass\ndef b(): pass\n"),
			class(plan.Preserving), []string{"fail", "semantic-class src/app/user.py:3"}},
		{"a syntax error", one(user), one("class User:\n    def name(self:\n"), class(plan.Preserving),
			[]string{"fail", "semantic-class src/app/user.py:1", "semantic-class src/app/user.py:2", "unread src/app/user.py"}},
	})
	try(t, "non-goals", []trial{
		{"a protected class", one(user), one(user + "    x = 1\n"), protects("app.user.User"),
			[]string{"fail", "non-goal src/app/user.py:4", "non-goal src/app/user.py:1"}},
		{"beside a protected class", one(user), one(user + "\n\ndef f(): pass\n"), protects("app.user.User"), pass},
		{"a file that may hold it and does not parse", one(user), one(user + "def f(:\n"), protects("app.user.User"),
			[]string{"fail", "non-goal src/app/user.py:1", "non-goal src/app/user.py:2", "unread src/app/user.py"}},
	})
}
