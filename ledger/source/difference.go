package source

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Effect is what a difference means for those who use a surface.
type Effect int

const (
	Adds   Effect = iota // something is there that was not
	Alters               // a value changed: what was used can be used, and may behave in another way
	Breaks               // something was removed, or changed so that users may break
)

// A Difference is one declaration that differs between two surfaces.
type Difference struct {
	Name          string // of the declaration
	Effect        Effect
	What          string // in words
	Before, After string // spellings; "" if it was not or is not there
	Path          string // where it stands, or stood if it was removed
	Line          int
}

// Differences lists what became of one surface in another, sorted by name. What
// is undecided of either, or of what became of them, is for the caller to ask:
// what is listed is sure all the same, as far as Decls goes.
func Differences(before, after *Surface) []Difference {
	var out []Difference
	known := coverage{}
	for _, name := range namesOf(before, after) {
		was, is := before.Decls[name], after.Decls[name]
		switch {
		case len(was) == 0:
			out = append(out, Difference{Name: name, Effect: Adds, What: is[0].Kind + " added", After: is[0].spell(),
				Path: is[0].Path, Line: is[0].Line})
		case len(is) == 0:
			out = append(out, Difference{Name: name, Effect: Breaks, What: was[0].Kind + " removed",
				Before: was[0].spell(), Path: was[0].Path, Line: was[0].Line})
		default:
			out = append(out, variants(name, was, is, known)...)
		}
	}
	return out
}

// namesOf are those of both surfaces, sorted.
func namesOf(before, after *Surface) []string {
	both := slices.AppendSeq(slices.Collect(maps.Keys(before.Decls)), maps.Keys(after.Decls))
	slices.Sort(both)
	return slices.Compact(both)
}

// Undecided says why nobody can say what became of a surface in another: what
// follows from something that neither of them says has changed. Nil stands for a
// file that is not there.
func Undecided(before, after *Surface) []string {
	if before == nil || after == nil {
		return nil
	}
	var why []string
	if !slices.Equal(before.Unsaid, after.Unsaid) {
		why = append(why, "what it offers besides follows from what it does not say: "+
			strings.Join(slices.Concat(before.Unsaid, after.Unsaid), ", "))
	}
	for _, name := range namesOf(before, after) {
		was, is := unsaid(before.Decls[name]), unsaid(after.Decls[name])
		if len(before.Decls[name]) > 0 && len(after.Decls[name]) > 0 && !slices.Equal(was, is) {
			why = append(why, "what "+name+" is follows from what its declaration does not say")
		}
	}
	return why
}

// unsaid is what declarations of one name leave unsaid, sorted.
func unsaid(decls []Decl) []string {
	var all []string
	for _, d := range decls {
		if d.Unsaid != "" {
			all = append(all, d.Unsaid)
		}
	}
	slices.Sort(all)
	return all
}

// variants compares every variant of a name with the one that is nearest to it
// now. Where those that users of the variant can use as well are not built
// whenever it was, it has left some builds.
func variants(name string, was, is []Decl, known coverage) []Difference {
	var out []Difference
	add := func(d Difference) {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	for i := range was {
		w := &was[i]
		best, same := nearest(name, w, is)
		if best != nil {
			add(*best)
		}
		if len(same) > 0 && !known.covers(w, same) {
			add(Difference{Name: name, Effect: Breaks,
				What: fmt.Sprintf("%s left some builds: it was there %s, and is %s",
					w.Kind, w.Builds, same[0].Builds),
				Before: w.spell(), After: same[0].spell(), Path: same[0].Path, Line: same[0].Line})
		}
	}
	return out
}

// nearest finds how a declaration differs least from its later variants, nil
// for not at all, and the variants that break nobody who uses it.
func nearest(name string, w *Decl, is []Decl) (best *Difference, same []*Decl) {
	equal := false
	for i := range is {
		d := w.to(name, &is[i])
		equal = equal || d == nil
		if d == nil || d.Effect != Breaks {
			same = append(same, &is[i])
		}
		if d != nil && (best == nil || d.Effect < best.Effect) {
			best = d
		}
	}
	if equal {
		best = nil
	}
	return best, same
}

// A coverage remembers which builds cover which.
type coverage map[string]bool

// covers reports whether a declaration is there, in one of its later forms, in
// all builds in which it was.
func (k coverage) covers(was *Decl, now []*Decl) bool {
	if was.Builds == nil {
		return true
	}
	key, others := was.Builds.String(), make([]Builds, 0, len(now))
	for _, d := range now {
		if d.Builds == nil || d.Builds.String() == was.Builds.String() {
			return true
		}
		key += "\n" + d.Builds.String()
		others = append(others, d.Builds)
	}
	known, ok := k[key]
	if !ok {
		known = was.Builds.CoveredBy(others)
		k[key] = known
	}
	return known
}

// to compares one declaration with its later self; nil if nothing differs.
func (d *Decl) to(name string, o *Decl) *Difference {
	diff := &Difference{Name: name, Before: d.spell(), After: o.spell(), Path: o.Path, Line: o.Line}
	m := compareMembers(d.Members, o.Members)
	unsaid := d.Unsaid != o.Unsaid
	switch {
	case unsaid && (d.Kind == "" || o.Kind == ""):
		return nil // Undecided says so
	case d.Kind != o.Kind:
		diff.Effect, diff.What = Breaks, fmt.Sprintf("a %s became a %s", d.Kind, o.Kind)
	case d.Text != o.Text && !unsaid:
		diff.Effect, diff.What = Breaks, d.Kind+" changed"
	case len(m.lost) > 0:
		diff.Effect, diff.What = Breaks, d.Kind+" lost or changed "+strings.Join(m.lost, ", ")
	case len(m.asked) > 0 && !d.Sealed:
		diff.Effect, diff.What = Breaks, d.Kind+" asks for more: "+strings.Join(m.asked, ", ")
	case d.Value != o.Value:
		diff.Effect, diff.What = Alters, fmt.Sprintf("value changed from %s to %s", said(d.Value), said(o.Value))
	case len(m.altered) > 0:
		diff.Effect, diff.What = Alters, d.Kind+" has another value or annotation of "+strings.Join(m.altered, ", ")
	case len(m.won)+len(m.asked) > 0:
		diff.Effect, diff.What = Adds, d.Kind+" gained "+strings.Join(slices.Concat(m.asked, m.won), ", ")
	default:
		return nil
	}
	return diff
}

// said is a value in words.
func said(value string) string {
	if value == "" {
		return "none"
	}
	return value
}

// membership is what became of the members of a declaration, each list sorted.
type membership struct{ lost, asked, won, altered []string }

// compareMembers sets the members of two forms of a declaration against each
// other.
func compareMembers(was, is map[string]Member) (m membership) {
	for _, k := range slices.Sorted(maps.Keys(was)) {
		w := was[k]
		i, ok := is[k]
		switch {
		case !ok || w.Text != i.Text:
			m.lost = append(m.lost, k)
		case !w.Asked && i.Asked:
			m.asked = append(m.asked, k)
		case w.Asked && !i.Asked:
			m.won = append(m.won, k+", which need not be given")
		case w.Value != i.Value:
			m.altered = append(m.altered, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[k]; ok {
			continue
		}
		if is[k].Asked {
			m.asked = append(m.asked, k)
		} else {
			m.won = append(m.won, k)
		}
	}
	return m
}
