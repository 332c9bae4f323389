// Package decode sets a plan to what a tree of TOML says: [Table] reads one
// table, with all below it, into whatever a visit of the model tells. Native
// plans are read by it as a whole; parameters of a SPEC by its keys that mean
// the same there.
package decode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

// A Fault is something that is wrong with a table.
type Fault struct {
	Code          string // of the catalogue of [plan.Codes]
	Offset        int    // of the key or value, in the text
	Message, Hint string
	Task, Step    string // ids of the task and step that it stands in, or ""
}

// Table reads a table into what visit tells, and reports what cannot be taken,
// keys that nobody asked for among it. The values that are taken are set all
// the same.
func Table(n *tomltree.Node, visit func(plan.Visitor), report func(Fault)) {
	(&decoder{report: report}).decode(n, visit)
}

// A decoder visits a plan and sets it to what a tree of TOML says. It is told
// each key with the place of its value in the plan, looks the key up in the
// table that is being read, and judges what it finds; keys that nobody asked
// for are unknown, or settings where the table is open. A value that cannot be
// taken is reported and left unsaid, so that one reading tells all faults.
type decoder struct {
	report   func(Fault)
	silent   bool           // while values are read that were judged before
	defaults *tomltree.Node // what steps inherit, or nil
	// ids of the task and step that is being read
	task, step string

	at    *tomltree.Node     // the table that is being read
	seen  []bool             // its keys that were asked for
	visit func(plan.Visitor) // what it is read into
}

// decode reads a table into what visit tells, and then reports the keys that
// nobody asked for. Tables nest, so what belongs to the outer one is put back.
func (d *decoder) decode(n *tomltree.Node, visit func(plan.Visitor)) {
	outer := *d
	d.at, d.seen, d.visit = n, make([]bool, len(n.Keys)), visit
	visit(d)
	if !d.silent && slices.Contains(d.seen, false) {
		d.unknown()
	}
	d.at, d.seen, d.visit = outer.at, outer.seen, outer.visit
}

// add reports something at an offset, unless the same value was judged before.
func (d *decoder) add(code string, offset int, message, hint string) {
	if !d.silent {
		d.report(Fault{Code: code, Offset: offset, Message: message, Hint: hint, Task: d.task, Step: d.step})
	}
}

// wrong reports a value of another kind than the key asks for.
func (d *decoder) wrong(k plan.Key, n *tomltree.Node, want string) {
	d.add("value-type", n.Offset, fmt.Sprintf("%s is %s, not %s", k.Name, kindName[n.Kind], want), "write "+want)
}

// kindName is how a message calls a kind of value.
var kindName = map[string]string{
	tomltree.String: "text", tomltree.Integer: "an integer", tomltree.Float: "a number with a fraction",
	tomltree.Boolean: "true or false", tomltree.Datetime: "a date or time", tomltree.Array: "a list", tomltree.Table: "a table",
}

// value finds what the table says of a key, by its name or its older one, if it
// is of a kind; wanted says which that is. k is the key as it was written.
func (d *decoder) value(k *plan.Key, wanted string, kinds ...string) *tomltree.Node {
	if k.Unwritten {
		return nil
	}
	i := d.at.Lookup(k.Name)
	if k.Older != "" {
		if older := d.at.Lookup(k.Older); older >= 0 {
			d.seen[older] = true
			if i >= 0 {
				d.add("key-duplicate", d.at.Keys[older].Offset,
					fmt.Sprintf("%q and %q are the same key", k.Older, k.Name), "keep "+k.Name)
			} else {
				i, k.Name = older, k.Older
			}
		}
	}
	if i < 0 {
		return nil
	}
	d.seen[i] = true
	n := d.at.Keys[i].Value
	if !slices.Contains(kinds, n.Kind) {
		d.wrong(*k, n, wanted)
		return nil
	}
	return n
}

// placeholder warns of a text that was left for somebody to fill in.
func (d *decoder) placeholder(k plan.Key, n *tomltree.Node) {
	if t := strings.TrimSpace(n.Text); t == "…" || t == "..." || strings.HasPrefix(t, "…/") {
		d.add("placeholder-value", n.Offset, fmt.Sprintf("%s is %q, which was left to be filled in", k.Name, n.Text), "write what is meant")
	}
}

// Text reads a text, an id or one of a few words.
func (d *decoder) Text(k plan.Key, at *string) {
	kinds, want := []string{tomltree.String}, "text"
	switch {
	case k.ID:
		kinds, want = append(kinds, tomltree.Integer), "text or an integer"
	case k.Words != nil:
		want = "text: " + orList(k.Words)
	}
	n := d.value(&k, want, kinds...)
	switch {
	case n == nil && k.Default != "" && *at == "":
		*at = k.Default
	case n == nil:
	case n.Text != "" && !k.Says(n.Text): // no rule has to ask it again
		d.add("value-blank", n.Offset, fmt.Sprintf("%s has blanks alone, which is no text", k.Name), "write what is meant, or leave the key out")
	case k.Words != nil && !slices.Contains(k.Words, n.Text):
		hint := "write " + orList(k.Words)
		if near := spelling.Nearest(n.Text, k.Words); near != "" {
			hint = fmt.Sprintf("did you mean %q? It may be %s", near, orList(k.Words))
		}
		d.add("value-unknown", n.Offset, fmt.Sprintf("%s cannot be %q", k.Name, n.Text), hint)
	default:
		if k.Words == nil {
			d.placeholder(k, n)
		}
		*at = n.Text
	}
}

// Flag reads a truth.
func (d *decoder) Flag(k plan.Key, at **bool) {
	if n := d.value(&k, "true or false", tomltree.Boolean); n != nil {
		yes := n.Text == "true"
		*at = &yes
	} else if k.Default != "" {
		yes := k.Default == "true"
		*at = &yes
	}
}

// Number reads an integer within the bounds of its key.
func (d *decoder) Number(k plan.Key, at **int) {
	n := d.value(&k, "an integer", tomltree.Integer)
	if n == nil {
		return
	}
	v, err := strconv.Atoi(n.Text)
	if err != nil || v < k.Min || v > k.Max {
		d.add("value-range", n.Offset, fmt.Sprintf("%s = %s is out of range", k.Name, n.Text), fmt.Sprintf("it may be %d to %d", k.Min, k.Max))
		return
	}
	*at = &v
}

// Duration reads a text such as "5m".
func (d *decoder) Duration(k plan.Key, at *time.Duration) {
	n := d.value(&k, `text such as "30s" or "5m"`, tomltree.String)
	if n == nil {
		return
	}
	v, err := time.ParseDuration(n.Text)
	switch {
	case err != nil:
		d.add("value-range", n.Offset, fmt.Sprintf("%s = %q is not a duration", k.Name, n.Text), `write it as "30s", "5m" or "1h30m"`)
	case !k.Fits(v):
		d.add("value-range", n.Offset, fmt.Sprintf("%s = %q is out of range", k.Name, n.Text), "it must be more than nothing and at most a year")
	default:
		*at = v
	}
}

// Texts reads a list of texts or of ids.
func (d *decoder) Texts(k plan.Key, at *[]string) {
	want := "a list of texts"
	if k.ID {
		want = "a list of ids"
	}
	n := d.value(&k, want, tomltree.Array)
	if n == nil {
		return
	}
	values := make([]string, len(n.List))
	for i, item := range n.List {
		if item.Kind != tomltree.String && (!k.ID || item.Kind != tomltree.Integer) {
			d.wrong(k, item, want)
			continue
		}
		d.placeholder(k, item)
		values[i] = item.Text
	}
	*at = values
}

// Table reads a table; what an optional one has already is added to.
func (d *decoder) Table(k plan.Key, t plan.Table) {
	n := d.value(&k, "a table", tomltree.Table)
	if n == nil {
		return
	}
	d.decode(n, t.Visit)
	if k.Name == "defaults" {
		d.inheritable(n, t.Visit)
	}
}

// maxInherited bounds the text of [defaults] times the number of steps.
const maxInherited = 16 << 20

// inheritable keeps what is known of [defaults] for the steps.
func (d *decoder) inheritable(n *tomltree.Node, visit func(plan.Visitor)) {
	if steps := countSteps(d.at); !Inheritable(n, steps) {
		d.add("defaults-too-large", n.Offset, fmt.Sprintf("[defaults] has %d bytes for each of %d steps", n.Size(),
			steps), "keep [defaults] small")
		return
	}
	d.defaults = Only(n, plan.Names(visit))
}

// Inheritable reports whether so many steps may inherit a table: each of them
// has all of it.
func Inheritable(defaults *tomltree.Node, steps int) bool {
	return defaults.Size()*steps <= maxInherited
}

// Only is a table with those of its keys that are among names.
func Only(n *tomltree.Node, names []string) *tomltree.Node {
	some := &tomltree.Node{Kind: tomltree.Table, Offset: n.Offset, At: n.At}
	for _, key := range n.Keys {
		if slices.Contains(names, key.Name) {
			some.Keys = append(some.Keys, key)
		}
	}
	return some
}

// countSteps counts the steps of a document before they are read, to know how
// often [defaults] is inherited.
func countSteps(root *tomltree.Node) int {
	count := 0
	if tasks := root.Find("tasks"); tasks != nil {
		for _, t := range tasks.List {
			if steps := t.Find("steps"); steps != nil {
				count += len(steps.List)
			}
		}
	}
	return count
}

// Tables reads a list of tables. Steps stand on top of what [defaults] says.
func (d *decoder) Tables(k plan.Key, t plan.Tables) {
	n := d.value(&k, fmt.Sprintf("a list of tables, [[%s]]", k.Name), tomltree.Array)
	if n == nil {
		return
	}
	t.Make(len(n.List))
	for i, item := range n.List {
		if item.Kind != tomltree.Table {
			d.wrong(k, item, "a table")
			continue
		}
		visit := func(v plan.Visitor) { t.Visit(i, v) }
		switch k.Name {
		case "tasks":
			d.task = idOf(item)
		case "steps":
			d.step = idOf(item)
			d.inherit(visit)
		}
		d.decode(item, visit)
	}
	switch k.Name {
	case "tasks":
		d.task = ""
	case "steps":
		d.step = ""
	}
}

// idOf is the id that a table says, for diagnostics of what stands in it; ""
// where it says none.
func idOf(n *tomltree.Node) string {
	if id := n.Find("id"); id != nil {
		return id.Text
	}
	return ""
}

// inherit gives a step what [defaults] says, silently: it was judged on its
// own.
func (d *decoder) inherit(visit func(plan.Visitor)) {
	if d.defaults == nil {
		return
	}
	was := d.silent
	d.silent = true
	d.decode(d.defaults, visit)
	d.silent = was
}

// Settings reads all keys that nobody asked for, but for those that differ from
// known ones in case only.
func (d *decoder) Settings(_ plan.Key, at *[]plan.Setting) {
	if !slices.Contains(d.seen, false) {
		return
	}
	known := plan.Names(d.visit)
	for i, seen := range d.seen {
		key := &d.at.Keys[i]
		near := func(name string) bool { return strings.EqualFold(name, key.Name) }
		if !seen && !slices.ContainsFunc(known, near) {
			d.seen[i] = true
			*at = key.Value.Settings(*at, spelling.QuoteKey(key.Name))
		}
	}
	slices.SortStableFunc(*at, plan.Setting.Compare)
}

// FreeTables reads tables that may hold anything.
func (d *decoder) FreeTables(k plan.Key, at *[]plan.Setting) {
	for _, name := range k.Words {
		if n := d.value(&plan.Key{Name: name}, "a table", tomltree.Table); n != nil {
			*at = n.Settings(*at, name)
		}
	}
	slices.SortStableFunc(*at, plan.Setting.Compare)
}

// orList is a list of words for a sentence.
func orList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// unknown reports the keys of a table that nobody asked for.
func (d *decoder) unknown() {
	names := plan.Names(d.visit)
	for i, key := range d.at.Keys {
		if !d.seen[i] {
			code, message, hint := Strange(key.Name, names)
			d.add(code, key.Offset, message, hint)
		}
	}
}
