package native

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/plan"
)

// An inline is a table that is written on one line, such as a check or limits.
// It is collected first, so that a line that gets too long can be broken at
// its lists.
type inline struct {
	keys, values []string
	lists        [][]string // the items of those that are lists
	unsaid       []string   // what the format does not allow
	visit        func(plan.Visitor)
}

// String is the table on one line.
func (t *inline) String() string {
	parts := make([]string, len(t.keys))
	for i, k := range t.keys {
		parts[i] = k + " = " + t.values[i]
	}
	return braces(parts)
}

// add takes a key with its value in TOML; list has the items of a value that
// is one, for lines that get too long.
func (t *inline) add(key, value string, list []string) {
	t.keys, t.values, t.lists = append(t.keys, key), append(t.values, value), append(t.lists, list)
}

// inlineOf collects what visit tells of a table.
func inlineOf(visit func(plan.Visitor)) *inline {
	t := &inline{visit: visit}
	visit(t)
	return t
}

// Text adds a text or an id.
func (t *inline) Text(k plan.Key, at *string) {
	switch {
	case !k.Says(*at):
	case k.ID:
		t.add(k.Name, tomlIdent(*at), nil)
	default:
		t.add(k.Name, tomlText(*at, false), nil)
	}
}

// Flag adds a truth.
func (t *inline) Flag(k plan.Key, at **bool) {
	if *at != nil {
		t.add(k.Name, strconv.FormatBool(**at), nil)
	}
}

// Number adds a number, if it is within the bounds of its key.
func (t *inline) Number(k plan.Key, at **int) {
	switch {
	case *at == nil:
	case **at < k.Min || **at > k.Max:
		t.unsaid = append(t.unsaid, fmt.Sprintf("%s was %d, which cannot stand here", k.Name, **at))
	default:
		t.add(k.Name, strconv.Itoa(**at), nil)
	}
}

// Texts adds a list.
func (t *inline) Texts(k plan.Key, at *[]string) {
	if *at != nil {
		items := tomlList(*at, k.ID)
		t.add(k.Name, "["+strings.Join(items, ", ")+"]", items)
	}
}

// Tables adds a list of tables.
func (t *inline) Tables(k plan.Key, all plan.Tables) {
	if !all.Said {
		return
	}
	items := make([]string, all.Len)
	for i := range items {
		in := inlineOf(func(v plan.Visitor) { all.Visit(i, v) })
		for _, u := range in.unsaid {
			t.unsaid = append(t.unsaid, k.Name+": "+u)
		}
		items[i] = in.String()
	}
	t.add(k.Name, "["+strings.Join(items, ", ")+"]", items)
}

// Settings adds free keys beside those that are known.
func (t *inline) Settings(_ plan.Key, at *[]plan.Setting) {
	if len(*at) == 0 {
		return
	}
	known := plan.Names(t.visit)
	for _, k := range treeOf(*at, known).kids {
		t.add(tomlKey(k.name), tomlTree(k, 1), nil)
	}
}

// Tables that are written on one line have neither durations nor single tables
// of their own.

func (t *inline) Duration(plan.Key, *time.Duration)    {}
func (t *inline) Table(plan.Key, plan.Table)           {}
func (t *inline) FreeTables(plan.Key, *[]plan.Setting) {}

// inline writes a small table: on one line, or key by key where that is too
// long.
func (w *page) inline(key string, t *inline) {
	w.about(key)
	w.said++
	for _, c := range t.unsaid {
		w.comment("decide: " + key + "." + c)
	}
	text := t.String()
	if len(key)+len(text) <= longLine+20 || len(t.keys) == 0 {
		w.line(key, " = ", text)
		return
	}
	path := w.path
	w.path = join(w.path, key)
	for i, k := range t.keys {
		if t.lists[i] != nil {
			w.items(key+"."+k, t.lists[i])
		} else {
			w.line(key, ".", k, " = ", t.values[i])
		}
	}
	w.path = path
}
