package native

import (
	"bytes"
	"strings"
	"time"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/internal/hidden"
)

// Remarks are comments for the text of a plan: lines without their mark, by the
// path of the key that they stand above, as [plan.Draft.Position] takes it. A
// key that is not written has its place nevertheless, so that
// "tasks[0].steps[1].artifacts" can say what is missing there. "" is the top of
// the text.
type Remarks map[string][]string

// Write writes a plan as the text of a native plan, with remarks, which may be
// nil. Read finds the same plan in it, to the digest, with these exceptions,
// none of which a native plan that was read can have:
//
//   - [plan.Task.Files] and the statuses of tasks and steps have no key, and are left out;
//   - a word or a number that the format does not allow is left as a comment in its place;
//   - settings that are no part of a free table stand below [metadata]; of keys that differ in case only, and of
//     a value and a table with one name, the later ones get a number behind their names;
//   - values that TOML has no word for, such as numbers beyond 2^53, are texts, as is what is nested more than 60
//     deep; bytes that are no UTF-8 are replaced.
//
// Equal plans with equal remarks give equal texts. [defaults] is not written:
// steps say themselves what they inherited.
func Write(p *plan.Plan, r Remarks) []byte {
	w := &page{remarks: r}
	w.remark("")
	w.gap()
	written := *p
	written.Schema = plan.SchemaVersion
	written.Visit(top{w})
	written.Visit(rest{w})
	return w.b
}

// A page is a text that grows.
type page struct {
	b       []byte
	remarks Remarks
	said    int // lines that are neither comments nor headers

	// The table that is being written:
	path   string             // as remarks name it
	name   string             // as its header names it
	indent string             // before its lines
	visit  func(plan.Visitor) // its keys
}

// gap leaves an empty line, except at the top and below another.
func (w *page) gap() {
	if len(w.b) > 0 && !bytes.HasSuffix(w.b, []byte("\n\n")) {
		w.b = append(w.b, '\n')
	}
}

func (w *page) line(parts ...string) {
	w.b = append(w.b, w.indent...)
	for _, p := range parts {
		w.b = append(w.b, p...)
	}
	w.b = append(w.b, '\n')
}

// comment writes lines that nobody reads but people.
func (w *page) comment(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		w.line(strings.TrimRight("# "+hidden.Escape(strings.TrimRight(line, " \t\r")), " "))
	}
}

// remark writes what was to be said about a key.
func (w *page) remark(path string) bool {
	lines := w.remarks[path]
	for _, l := range lines {
		w.comment(l)
	}
	return len(lines) > 0
}

// about writes what was to be said about a key of the current table.
func (w *page) about(key string) {
	if len(w.remarks) > 0 {
		w.remark(join(w.path, key))
	}
}

// join makes a path or a name of a table of two parts.
func join(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}

// section writes remarks about a part of the plan; they stand apart.
func (w *page) section(path string) {
	if len(w.remarks[path]) > 0 {
		w.gap()
		w.remark(path)
	}
}

// header begins a table. Remarks about it stand above.
func (w *page) header(path, header string) {
	w.gap()
	w.remark(path)
	w.line(header)
	w.path = path
}

func (w *page) field(key, value string) {
	w.about(key)
	w.line(key, " = ", value)
	w.said++
}

// longLine is how many characters a value may have that stands on one line.
const longLine = 100

// items writes the items of a list, each in TOML already.
func (w *page) items(key string, items []string) {
	w.about(key)
	w.said++
	size := len(key)
	for _, i := range items {
		size += len(i) + 2
	}
	if size <= longLine || len(items) < 2 {
		w.line(key, " = [", strings.Join(items, ", "), "]")
		return
	}
	w.line(key, " = [")
	for _, i := range items {
		w.line("  ", i, ",")
	}
	w.line("]")
}

// shortTime spells a duration without the zeros at its end.
func shortTime(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// unsaid keeps what the format does not allow.
func (w *page) unsaid(key, value string) {
	w.about(key)
	w.comment("decide: " + key + " was " + tomlText(value, false) + ", which cannot stand here")
}

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
