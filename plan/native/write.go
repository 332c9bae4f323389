package native

import (
	"slices"
	"strconv"
	"time"

	"github.com/planlock/planlock/plan"
)

// Text writes a text, an id or a word. What says nothing, as blanks alone do, or what holds
// without being said, is left out; the remarks about it are not, as they may
// say what is missing.
func (w *page) Text(k plan.Key, at *string) {
	switch value := *at; {
	case !k.Says(value) || value == k.Default:
		w.about(k.Name)
	case k.Words != nil && !slices.Contains(k.Words, value):
		w.unsaid(k.Name, value)
	case k.ID:
		w.field(k.Name, tomlIdent(value))
	default:
		w.field(k.Name, tomlText(value, k.Words == nil))
	}
}

// Flag writes a truth, unless it holds without being said.
func (w *page) Flag(k plan.Key, at **bool) {
	if *at == nil || strconv.FormatBool(**at) == k.Default {
		w.about(k.Name)
		return
	}
	w.field(k.Name, strconv.FormatBool(**at))
}

// Number writes a number, if it is within the bounds of its key; others become
// a comment, since the text must be one that can be read again.
func (w *page) Number(k plan.Key, at **int) {
	switch {
	case *at == nil:
		w.about(k.Name)
	case **at < k.Min || **at > k.Max:
		w.unsaid(k.Name, strconv.Itoa(**at))
	default:
		w.field(k.Name, strconv.Itoa(**at))
	}
}

// Duration writes a duration, as short as it can be spelled.
func (w *page) Duration(k plan.Key, at *time.Duration) {
	switch d := *at; {
	case d == 0:
		w.about(k.Name)
	case !k.Fits(d):
		w.unsaid(k.Name, d.String())
	default:
		w.field(k.Name, strconv.Quote(shortTime(d)))
	}
}

// Texts writes a list; long ones have a line for each item.
func (w *page) Texts(k plan.Key, at *[]string) {
	if *at == nil || k.Unwritten {
		w.about(k.Name)
		return
	}
	w.items(k.Name, tomlList(*at, k.ID))
}

// Table writes a table: of the plan, with a header; else as a value.
func (w *page) Table(k plan.Key, t plan.Table) {
	switch {
	case t.Part:
		w.part(k, t)
	case t.Said:
		in := inlineOf(t.Visit)
		w.inline(k.Name, in)
	default:
		w.about(k.Name)
	}
}

// part writes a table of the plan, unless it says nothing.
func (w *page) part(k plan.Key, t plan.Table) {
	outer := *w
	w.path, w.name, w.visit = k.Name, k.Name, t.Visit
	w.header(k.Name, "["+k.Name+"]")
	if t.Visit(w); w.said == outer.said {
		w.b = outer.b
	}
	empty := w.said == outer.said
	w.path, w.name, w.visit = outer.path, outer.name, outer.visit
	if empty {
		w.section(k.Name)
	}
}

// Tables writes a list of tables: each with a header, or all as one value.
func (w *page) Tables(k plan.Key, t plan.Tables) {
	switch {
	case !t.Said:
		w.about(k.Name)
		return
	case k.Inline:
		w.checks(k.Name, t)
		return
	case t.Len == 0:
		w.line(k.Name, " = []")
		return
	}
	path, name, indent, visit := w.path, w.name, w.indent, w.visit
	w.name = join(name, k.Name)
	if name != "" {
		w.indent += "  "
	}
	for i := range t.Len {
		w.visit = func(v plan.Visitor) { t.Visit(i, v) }
		w.header(join(path, k.Name)+"["+strconv.Itoa(i)+"]", "[["+w.name+"]]")
		w.visit(w)
	}
	w.path, w.name, w.indent, w.visit = path, name, indent, visit
}

// checks writes tables as the items of a list.
func (w *page) checks(key string, t plan.Tables) {
	items := make([]string, t.Len)
	for i := range items {
		in := inlineOf(func(v plan.Visitor) { t.Visit(i, v) })
		for _, u := range in.unsaid {
			w.comment("decide: " + key + ": " + u)
		}
		items[i] = in.String()
	}
	w.items(key, items)
}

// Settings writes the free keys of an open table.
func (w *page) Settings(_ plan.Key, at *[]plan.Setting) {
	if len(*at) > 0 {
		known := plan.Names(w.visit)
		w.settings(w.name, treeOf(*at, known), true)
	}
}

// FreeTables writes tables that may hold anything.
func (w *page) FreeTables(k plan.Key, at *[]plan.Setting) {
	for _, t := range treeOf(placed(*at, k.Words), nil).kids {
		if t.leaf != nil { // a table without keys
			w.header(t.name, "["+tomlKey(t.name)+"]")
			continue
		}
		w.settings(tomlKey(t.name), t, false)
	}
}

// top writes what has to stand before the first header.
type top struct{ *page }

// Table leaves tables for later: in TOML, what stands behind a header belongs
// to its table.
func (w top) Table(plan.Key, plan.Table) {}

// Tables writes the lists that are said and empty; the others have headers.
func (w top) Tables(k plan.Key, t plan.Tables) {
	if t.Said && t.Len == 0 {
		w.line(k.Name, " = []")
	}
}

// FreeTables leaves what has headers for later.
func (w top) FreeTables(plan.Key, *[]plan.Setting) {}

// rest writes everything else.
type rest struct{ *page }

// Text passes over what was written at the top.
func (w rest) Text(plan.Key, *string) {}

// Number passes over what was written at the top.
func (w rest) Number(plan.Key, **int) {}

// Tables writes the lists that have headers of their own.
func (w rest) Tables(k plan.Key, t plan.Tables) {
	w.section(k.Name)
	if t.Len > 0 {
		w.page.Tables(k, t)
	}
}

// Write writes a plan as the text of a native plan. Read finds the same plan in
// it, to the digest, with these exceptions, none of which a native plan that
// was read can have:
//
//   - [plan.Task.Files] and the statuses of tasks and steps have no key, and are left out;
//   - a word or a number that the format does not allow is left as a comment in its place;
//   - settings that are no part of a free table stand below [metadata]; of keys that differ in case only, and of
//     a value and a table with one name, the later ones get a number behind their names;
//   - values that TOML has no word for, such as numbers beyond 2^53, are texts, as is what is nested more than 60
//     deep; bytes that are no UTF-8 are replaced.
//
// Remarks, which may be nil, are comments: lines without their mark, by the path
// of the key that they stand above, as [plan.Draft.Position] takes it. A key
// that is not written has its place nevertheless, so that
// "tasks[0].steps[1].artifacts" can say what is missing there. "" is the top of
// the text.
//
// Equal plans with equal remarks give equal texts. [defaults] is not written:
// steps say themselves what they inherited.
func Write(p *plan.Plan, remarks map[string][]string) []byte {
	w := &page{remarks: remarks}
	w.remark("")
	w.gap()
	written := *p
	written.Schema = plan.SchemaVersion
	written.Visit(top{w})
	written.Visit(rest{w})
	return w.b
}
