package source

import (
	"slices"
	"strings"
)

// A Surface is what others can use of some files, by the names of its
// declarations.
type Surface struct {
	// Decls has for each name its declaration, or several: one for each system,
	// say, or one for each way to call a function.
	Decls map[string][]Decl
	// Undecided says why the surface may be another one than Decls says: what
	// only shows when the program runs, or when files are read that were not.
	Undecided []string
	// Unsaid is, sorted, what else the file offers and does not name: all that
	// another file offers, or what a statement makes when it runs. Where it stays
	// as it is, so does what is offered, as far as this file goes; where it
	// changes nobody can say what that means.
	Unsaid []string
}

// A Decl is one declaration as those see it who use it.
type Decl struct {
	Kind    string            // in a word: "function", "method", "class"
	Text    string            // what must stay as it is, or users break
	Value   string            // what may change without breaking them: a default, an annotation that binds nobody
	Members map[string]Member // parameters, fields, methods asked for: by kind and name, as in "field Limit"
	// Sealed says that nobody else can write something of this kind, so that
	// more may be asked of those who do.
	Sealed bool
	// Unsaid is from what else follows what the declaration is, where it does not
	// say that itself: from a body that a type is inferred from, from another
	// file. Where that changes nobody can say what it means, and Text is not
	// compared. A declaration of another file has no Kind.
	Unsaid string
	// Builds says in which builds the declaration is there; nil: in all.
	Builds Builds
	Path   string
	Line   int
}

// A Member is a part of a declaration that has a name.
type Member struct {
	Text  string // what must stay as it is
	Value string // what may change
	// Asked says that whoever uses, or writes, the declaration has to bring it:
	// that one comes breaks them.
	Asked bool
}

// Builds says in which builds of a program a declaration is there, where a
// language leaves files out of some.
type Builds interface {
	String() string
	// CoveredBy reports whether one of others is there whenever this one is.
	// They are of the same language, and none is nil. Where it cannot be told
	// the answer is no.
	CoveredBy(others []Builds) bool
}

// Add adds a declaration of a name.
func (s *Surface) Add(name string, d Decl) {
	if s.Decls == nil {
		s.Decls = map[string][]Decl{}
	}
	s.Decls[name] = append(s.Decls[name], d)
}

// Join adds the surface of another file.
func (s *Surface) Join(o *Surface) {
	for name, decls := range o.Decls { // in any order: names are apart
		for _, d := range decls {
			s.Add(name, d)
		}
	}
	s.Undecided = append(s.Undecided, o.Undecided...)
	s.Unsaid = append(s.Unsaid, o.Unsaid...)
}

// spell is the declaration in one line, for people.
func (d *Decl) spell() string {
	var parts []string
	for k, m := range d.Members { // in any order: sorted below
		kind, name, _ := strings.Cut(k, " ")
		if kind == "embedded" {
			parts = append(parts, m.Text)
			continue
		}
		parts = append(parts, strings.TrimSpace(name+" "+m.Text))
	}
	slices.Sort(parts)
	text := strings.TrimSpace(d.Kind + " " + d.Text)
	if d.Members != nil {
		text += "{" + strings.Join(parts, "; ") + "}"
	}
	if d.Value != "" {
		text += " = " + d.Value
	}
	return text
}
