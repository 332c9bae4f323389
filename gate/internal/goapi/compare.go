package goapi

import (
	"fmt"
	"go/build/constraint"
	"maps"
	"slices"
	"strings"
)

// Effect is what a difference means for those who use the API.
type Effect int

const (
	Added   Effect = iota // something is there that was not
	Altered               // a value changed: what compiled compiles, and may behave in another way
	Broken                // something was removed, or changed so that users may not compile
)

// A Difference is one exported declaration that differs between two surfaces.
type Difference struct {
	Name          string // Name, Type.Method
	Effect        Effect
	What          string // in words
	Before, After string // spellings; "" if it was not or is not there
	Path          string // where it stands, or stood if it was removed
	Line          int
}

// Compare lists the differences from before to after, sorted by name.
func Compare(before, after *Surface) []Difference {
	var out []Difference
	known := coverage{}
	for _, name := range names(before, after) {
		was, is := before.decls[name], after.decls[name]
		switch {
		case len(was) == 0:
			out = append(out, Difference{Name: name, Effect: Added, What: is[0].kind + " added", After: is[0].spell(),
				Path: is[0].path, Line: is[0].line})
		case len(is) == 0:
			out = append(out, Difference{Name: name, Effect: Broken, What: was[0].kind + " removed",
				Before: was[0].spell(), Path: was[0].path, Line: was[0].line})
		default:
			out = append(out, variants(name, was, is, known)...)
		}
	}
	return out
}

// names are those of both surfaces, sorted.
func names(before, after *Surface) []string {
	both := slices.AppendSeq(slices.Collect(maps.Keys(before.decls)), maps.Keys(after.decls))
	slices.Sort(both)
	return slices.Compact(both)
}

// variants compares every variant of a name with the one that is nearest to it
// now. Where those that users of the variant can use as well are not built
// whenever it was, it has left some builds.
func variants(name string, was, is []decl, known coverage) []Difference {
	var out []Difference
	add := func(d Difference) {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	for _, w := range was {
		best, same := nearest(name, w, is)
		if best != nil {
			add(*best)
		}
		if len(same) == 0 {
			continue
		}
		when := make([]constraint.Expr, len(same))
		for n, i := range same {
			when[n] = i.when
		}
		if !known.covers(w.when, when) {
			add(Difference{Name: name, Effect: Broken, What: fmt.Sprintf("%s left some builds: it was there %s, and is %s", w.kind, spellWhen(w.when), spellWhen(same[0].when)),
				Before: w.spell(), After: same[0].spell(), Path: same[0].path, Line: same[0].line})
		}
	}
	return out
}

// nearest finds how a declaration differs least from its later variants, nil
// for not at all, and the variants that break nobody who uses it.
func nearest(name string, w decl, is []decl) (best *Difference, same []decl) {
	equal := false
	for _, i := range is {
		d := w.to(name, i)
		equal = equal || d == nil
		if d == nil || d.Effect != Broken {
			same = append(same, i)
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

// to compares one declaration with its later self; nil if nothing differs.
func (d decl) to(name string, o decl) *Difference {
	diff := &Difference{Name: name, Before: d.spell(), After: o.spell(), Path: o.path, Line: o.line}
	var lost, won []string
	switch {
	case d.kind != o.kind:
		diff.Effect, diff.What = Broken, fmt.Sprintf("a %s became a %s", d.kind, o.kind)
	case d.text != o.text:
		diff.Effect, diff.What = Broken, d.kind+" changed"
	case d.kind == "method" && !d.pointer && o.pointer:
		diff.Effect, diff.What = Broken, "the receiver became a pointer"
	default:
		lost, won = members(d.members, o.members), members(o.members, d.members)
		switch {
		case len(lost) > 0:
			diff.Effect, diff.What = Broken, d.kind+" lost or changed "+strings.Join(lost, ", ")
		case len(won) > 0 && d.kind == "interface" && !d.sealed:
			diff.Effect, diff.What = Broken, "interface asks for more: "+strings.Join(won, ", ")
		case len(won) > 0:
			diff.Effect, diff.What = Added, d.kind+" gained "+strings.Join(won, ", ")
		case d.value != o.value:
			diff.Effect, diff.What = Altered, fmt.Sprintf("value changed from %s to %s", d.value, o.value)
		default:
			return nil
		}
	}
	return diff
}

// members are those of a that b does not have in the same form, sorted.
func members(a, b map[string]string) []string {
	var out []string
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// spell is the declaration in one line, for people.
func (d decl) spell() string {
	var parts []string
	for k, v := range d.members {
		if strings.HasPrefix(k, "embedded ") {
			parts = append(parts, v)
			continue
		}
		_, name, _ := strings.Cut(k, " ")
		parts = append(parts, name+" "+v)
	}
	slices.Sort(parts)
	text := d.kind + " " + d.text
	if d.pointer {
		text += " on a pointer"
	}
	if d.members != nil {
		text += "{" + strings.Join(parts, "; ") + "}"
	}
	if d.value != "" {
		text += " = " + d.value
	}
	return text
}
