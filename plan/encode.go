package plan

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Remarks are comments for the text of a plan: lines without their mark, by the path of the key that they
// stand above, as [Draft.Position] takes it. A key that is not written has its place nevertheless, so that
// "tasks[0].steps[1].artifacts" can say what is missing there. "" is the top of the text.
type Remarks map[string][]string

// TOML writes the plan as the text of a native plan, with remarks, which may be nil. Read finds the same plan in
// it, to the digest, with these exceptions, none of which a native plan that was read can have:
//
//   - [Task.Files] and the statuses of tasks and steps have no key, and are left out;
//   - a word or a number that the format does not allow is left as a comment in its place;
//   - settings that are no part of a free table stand below [metadata]; of keys that differ in case only, and of
//     a value and a table with one name, the later ones get a number behind their names;
//   - values that TOML has no word for, such as numbers beyond 2^53, are texts, as is what is nested more than 60 deep; bytes that are no UTF-8 are replaced.
//
// Equal plans with equal remarks give equal texts. [defaults] is not written: steps say themselves what they inherited.
func (p *Plan) TOML(r Remarks) []byte {
	w := &page{remarks: r}
	w.plan(p)
	return w.b
}

// Unedited returns the text that a native plan was read from, as long as the draft's plan is the one that stands there. It is nil
// for other drafts, and for a text that could not be read to its end.
func (d *Draft) Unedited() []byte {
	if d.Format != Native || d.src == nil || d.root == nil || d.broken {
		return nil
	}
	stands := decodePlan(&decoder{src: d.src, found: &findings{}, silent: true}, d.root)
	if stands.Digest() != d.Plan.Digest() {
		return nil
	}
	return bytes.Clone(d.src.text)
}

// A page is a text that grows.
type page struct {
	b       []byte
	remarks Remarks
	indent  string
	path    string // of the table that is being written
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
		w.line(strings.TrimRight("# "+visible(strings.TrimRight(line, " \t\r")), " "))
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
		w.remark(w.path + "." + key)
	}
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
}

func (w *page) text(key, value string) {
	if value == "" {
		w.about(key)
		return
	}
	w.field(key, tomlText(value, true))
}

func (w *page) ident(key, value string) {
	if value == "" {
		w.about(key)
		return
	}
	w.field(key, tomlIdent(value))
}

// texts writes a list; long ones have a line for each item.
func (w *page) texts(key string, list []string) { w.list(key, list, false) }

func (w *page) idents(key string, list []string) { w.list(key, list, true) }

func (w *page) list(key string, list []string, ids bool) {
	if list == nil {
		w.about(key)
		return
	}
	w.items(key, tomlList(list, ids))
}

// longLine is how many characters a value may have that stands on one line.
const longLine = 100

// items writes the items of a list, each in TOML already.
func (w *page) items(key string, items []string) {
	w.about(key)
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

func (w *page) flag(key string, value bool) {
	if !value {
		w.about(key)
		return
	}
	w.field(key, "true")
}

func (w *page) maybeFlag(key string, value *bool) {
	if value == nil {
		w.about(key)
		return
	}
	w.field(key, strconv.FormatBool(*value))
}

func (w *page) maybeNumber(key string, value *int, least, most int) {
	switch {
	case value == nil:
		w.about(key)
	case *value < least || *value > most:
		w.unsaid(key, strconv.Itoa(*value))
	default:
		w.field(key, strconv.Itoa(*value))
	}
}

func (w *page) number(key string, value, least, most int) {
	if value == 0 {
		w.about(key)
		return
	}
	w.maybeNumber(key, &value, least, most)
}

func (w *page) duration(key string, value time.Duration) {
	switch {
	case value == 0:
		w.about(key)
	case value < 0 || value > longestTime:
		w.unsaid(key, value.String())
	default:
		w.field(key, strconv.Quote(shortTime(value)))
	}
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

// choose writes a word, if it is one of those that the key may have.
func choose[S ~string](w *page, key string, value S, allowed ...S) {
	switch {
	case value == "":
		w.about(key)
	case !slices.Contains(allowed, value):
		w.unsaid(key, string(value))
	default:
		w.field(key, tomlText(string(value), false))
	}
}

// unsaid keeps what the format does not allow.
func (w *page) unsaid(key, value string) {
	w.about(key)
	w.comment("decide: " + key + " was " + tomlText(value, false) + ", which cannot stand here")
}

// table writes a small table: on one line, or key by key where that is too long.
func (w *page) table(key string, t *inline) {
	w.about(key)
	for _, c := range t.unsaid {
		w.comment("decide: " + key + "." + c)
	}
	text := t.String()
	if len(key)+len(text) <= longLine+20 || len(t.keys) == 0 {
		w.line(key, " = ", text)
		return
	}
	path := w.path
	w.path += "." + key
	for i, k := range t.keys {
		if t.lists[i] != nil {
			w.items(key+"."+k, t.lists[i])
		} else {
			w.line(key, ".", k, " = ", t.values[i])
		}
	}
	w.path = path
}
