package native

import (
	"bytes"
	"strings"
	"time"

	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

// A page is the text of a plan that grows while the plan is visited. It is
// written from top to bottom in one pass; what a key says stands below the
// remarks about it.
type page struct {
	b       []byte
	remarks map[string][]string // see [Write]
	said    int                 // lines that are neither comments nor headers

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

// line writes a line with the indent of its table.
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
		w.line(strings.TrimRight("# "+safetext.Escape(strings.TrimRight(line, " \t\r")), " "))
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

// field writes a key with its value, below the remarks about it.
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
