package native

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

// A branch is a table of settings, or a leaf of one.
type branch struct {
	name   string
	leaf   *plan.Value // nil: a table
	kids   []*branch
	tables map[string]*branch // by the name that was asked for
	taken  map[string]bool    // names, however they are cased
}

// deepest is how many names a key is written with; the rest is one name.
const deepest = maxWritten

// treeOf makes a tree of settings, beside keys that are taken. Each setting is
// in it, with another name where there is no place for its own.
func treeOf(list []plan.Setting, taken []string) *branch {
	root := &branch{}
	for _, name := range taken {
		root.take(name)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, plan.Setting.Compare)
	for i := range list {
		root.put(spelling.SplitKey(list[i].Key), &list[i].Value)
	}
	root.sort()
	return root
}

// put adds a value under a path of names; what is nested deeper than readers
// go is joined into one name. Where a name is taken already, the value gets a
// number behind it: everything is written, and nothing twice.
func (t *branch) put(key []string, v *plan.Value) {
	if len(key) > deepest {
		key = append(slices.Clone(key[:deepest-1]), strings.Join(key[deepest-1:], "."))
	}
	at := t
	for _, name := range key[:len(key)-1] {
		at = at.table(name)
	}
	name := key[len(key)-1]
	if v.Kind != tomltree.Table || len(v.List) < 2 || len(key) == deepest {
		at.kids = append(at.kids, &branch{name: at.free(name), leaf: v})
		return
	}
	for i := 0; i+1 < len(v.List); i += 2 { // flat, as reading leaves it
		t.put(append(slices.Clone(key), v.List[i].Text), &v.List[i+1])
	}
}

// table finds or makes a table.
func (t *branch) table(name string) *branch {
	if b := t.tables[name]; b != nil {
		return b
	}
	b := &branch{name: t.free(name)}
	if t.tables == nil {
		t.tables = map[string]*branch{}
	}
	t.tables[name] = b
	t.kids = append(t.kids, b)
	return b
}

// free is the name, or one like it that is not taken.
func (t *branch) free(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	got := name
	for n := 2; t.isTaken(got); n++ {
		got = name + "_" + strconv.Itoa(n)
	}
	t.take(got)
	return got
}

// take marks a name as used, in any case.
func (t *branch) take(name string) {
	if t.taken == nil {
		t.taken = map[string]bool{}
	}
	t.taken[strings.ToLower(name)] = true
	t.taken["="+caseless(name)] = true
}

// isTaken reports whether a name is used, in any case; readers refuse keys
// that differ in case only.
func (t *branch) isTaken(name string) bool {
	return t.taken[strings.ToLower(name)] || t.taken["="+caseless(name)]
}

// caseless maps names that differ in case only to one.
func caseless(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
}

// sort puts values before tables, and each in the order of their names.
func (t *branch) sort() {
	slices.SortFunc(t.kids, func(a, b *branch) int {
		if (a.leaf == nil) != (b.leaf == nil) {
			if a.leaf != nil {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	for _, k := range t.kids {
		k.sort()
	}
}

// placed are settings in tables that a plan may have: those of no free table
// stand below metadata.
func placed(list []plan.Setting, tables []string) []plan.Setting {
	const other = "metadata"
	out := make([]plan.Setting, len(list))
	for i, s := range list {
		key := spelling.SplitKey(s.Key)
		isTable := len(key) > 1 || s.Value.Kind == tomltree.Table
		if !slices.Contains(tables, key[0]) || !isTable {
			s.Key = other + "." + s.Key
			if len(key) == 1 {
				s.Key = other + "." + spelling.QuoteKey(key[0])
			}
		}
		out[i] = s
	}
	return out
}

// settings writes free keys below the table with this header, which stands
// already if open.
func (w *page) settings(header string, t *branch, open bool) {
	if !open && (len(t.kids) == 0 || t.kids[0].leaf != nil) {
		w.header(header, "["+header+"]")
	}
	for _, k := range t.kids {
		name := tomlKey(k.name)
		switch {
		case k.leaf == nil:
			w.settings(header+"."+name, k, false)
		case k.leaf.Kind == tomltree.Array:
			w.items(name, tomlValues(k.leaf, 1))
		case k.leaf.Kind == tomltree.String:
			w.field(name, tomlText(k.leaf.Text, true)) // even an empty one
		default:
			w.field(name, tomlValue(k.leaf, 0))
		}
	}
}

// tomlTree spells a tree of settings as one value.
func tomlTree(t *branch, depth int) string {
	if t.leaf != nil {
		return tomlValue(t.leaf, depth)
	}
	parts := make([]string, len(t.kids))
	for i, k := range t.kids {
		parts[i] = tomlKey(k.name) + " = " + tomlTree(k, depth+1)
	}
	if depth >= maxWritten {
		return tomlText(braces(parts), false)
	}
	return braces(parts)
}
