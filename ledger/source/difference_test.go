package source

import "testing"

// What follows from what a declaration does not say is undecided where that
// changed, and nowhere else; a break that is sure is said all the same.
func TestUnsaid(t *testing.T) {
	of := func(decls ...Decl) *Surface {
		s := &Surface{}
		for _, d := range decls {
			s.Add("a", d)
		}
		return s
	}
	function := func(unsaid string, asked bool) Decl {
		return Decl{Kind: "function", Text: "of " + unsaid, Unsaid: unsaid, Members: map[string]Member{"parameter #0": {Asked: asked}}}
	}
	elsewhere := func(unsaid string) Decl { return Decl{Unsaid: unsaid} }
	tests := []struct {
		name          string
		before, after *Surface
		effects       []Effect
		undecided     int
	}{
		{"nothing changed", of(function("x", false)), of(function("x", false)), nil, 0},
		{"what it follows from changed", of(function("x", false)), of(function("y", false)), nil, 1},
		{"and more is asked", of(function("x", false)), of(function("y", true)), []Effect{Breaks}, 1},
		{"it is said now", of(function("x", false)), of(function("", false)), nil, 1},
		{"it comes", of(), of(function("x", false)), []Effect{Adds}, 0},
		{"it goes", of(function("x", false)), of(), []Effect{Breaks}, 0},
		{"it moves to another file", of(function("", false)), of(elsewhere("b")), nil, 1},
		{"it is in another file", of(elsewhere("b")), of(elsewhere("b")), nil, 0},
		{"all of another file", &Surface{Unsaid: []string{"b"}}, &Surface{Unsaid: []string{"c"}}, nil, 1},
		{"all of the same file", &Surface{Unsaid: []string{"b"}}, &Surface{Unsaid: []string{"b"}}, nil, 0},
		{"there was no file", nil, &Surface{Unsaid: []string{"b"}}, nil, 0},
	}
	for _, tt := range tests {
		if got := Undecided(tt.before, tt.after); len(got) != tt.undecided {
			t.Errorf("%s: undecided %q", tt.name, got)
		}
		if tt.before == nil {
			continue
		}
		got := Differences(tt.before, tt.after)
		if len(got) != len(tt.effects) || len(got) > 0 && got[0].Effect != tt.effects[0] {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// A declaration that gains a member and has another value is altered: more than
// an addition.
func TestGainedAndAltered(t *testing.T) {
	was, is := &Surface{}, &Surface{}
	was.Add("a", Decl{Kind: "enum", Members: map[string]Member{"constant b": {Value: "0"}}})
	is.Add("a", Decl{Kind: "enum", Members: map[string]Member{"constant b": {Value: "1"}, "constant c": {Value: "0"}}})
	if got := Differences(was, is); len(got) != 1 || got[0].Effect != Alters {
		t.Errorf("%+v", got)
	}
}

// What belongs to a symbol begins with it, in the spelling of any language.
func TestBelongs(t *testing.T) {
	for _, tt := range []struct {
		symbol, to string
		want       bool
	}{
		{"a.B", "a.B", true}, {"a.B.c", "a.B", true}, {"a.Bc", "a.B", false}, {"a.B", "a.B.c", false},
		{"crate::a::B::c", "crate::a::B", true}, {"crate::a::Bc", "crate::a::B", false},
		{"Box::get", "::Box", true}, {"::Box", "::Box", true}, {"::Boxes", "::Box", false},
	} {
		if got := Belongs(tt.symbol, tt.to); got != tt.want {
			t.Errorf("Belongs(%q, %q) = %v", tt.symbol, tt.to, got)
		}
	}
	for _, symbol := range []string{"a.B", "a::B", "::B", ".B"} {
		if _, name, ok := Cut(symbol); !ok || name != "B" {
			t.Errorf("Cut(%q) = %q, %v", symbol, name, ok)
		}
	}
}
