package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A table lists the keys that a TOML table may have, each with what it means and where its value goes.
// The reader, the schema for editors and the hints for unknown keys are all made of it. It is made when it is first used: a program
// that imports this package need not read a plan.
type table[T any] struct {
	list func() []key[T]
	free func(*T) *[]Setting // where other keys go; nil: there are none

	once  sync.Once
	keys  []key[T] // asked for by all
	index map[string]int
}

type key[T any] struct {
	name, doc string
	shape     shape
	set       func(*decoder, *T, *node)
	same      string // the newer name of the same key; only one of the two may stand
}

// older gives a key another name, which is read where the newer one does not stand.
func older[T any](k key[T], name string) key[T] {
	k.same, k.doc, k.name = k.name, "the older name of "+k.name, name
	return k
}

// A shape describes a value for the schema.
type shape struct {
	types  []string // JSON types
	enum   []string
	items  *shape
	fields func() (fields []field, open bool) // of a table
	format string                             // "duration"
	min    *int
	max    *int
}

// A field is a key without its Go type.
type field struct {
	name, doc string
	shape     shape
}

func newTable[T any](list func() []key[T]) *table[T] { return &table[T]{list: list} }

// newOpenTable lets a table have other keys, which go to the settings that free names.
func newOpenTable[T any](free func(*T) *[]Setting, list func() []key[T]) *table[T] {
	return &table[T]{list: list, free: free}
}

func (t *table[T]) all() []key[T] {
	t.once.Do(func() {
		t.keys = t.list()
		t.index = make(map[string]int, len(t.keys))
		for i, k := range t.keys {
			t.index[k.name] = i
		}
	})
	return t.keys
}

// key is the one of this name, or nil.
func (t *table[T]) key(name string) *key[T] {
	all := t.all()
	if i, ok := t.index[name]; ok {
		return &all[i]
	}
	return nil
}

func (t *table[T]) fields() ([]field, bool) {
	all := t.all()
	list := make([]field, len(all))
	for i, k := range all {
		list[i] = field{k.name, k.doc, k.shape}
	}
	return list, t.free != nil
}

func (t *table[T]) names() []string {
	all := t.all()
	names := make([]string, len(all))
	for i, k := range all {
		names[i] = k.name
	}
	return names
}

// decode reads what the table n says into to.
func (t *table[T]) decode(d *decoder, to *T, n *node) {
	for i := range n.keys {
		m := &n.keys[i]
		if k := t.key(m.name); k != nil {
			if k.same != "" && n.find(k.same) != nil {
				d.add("key-duplicate", m.offset, fmt.Sprintf("%q and %q are the same key", m.name, k.same), "keep "+k.same)
				continue
			}
			d.key = m
			k.set(d, to, m.value)
			continue
		}
		if t.free != nil && !nearCase(m.name, t.names()) {
			*t.free(to) = flatten(*t.free(to), QuoteKey(m.name), m.value)
			continue
		}
		d.unknown(m, t.names())
	}
	if t.free != nil {
		sortSettings(*t.free(to))
	}
}

func text[T any](name, doc string, at func(*T) *string) key[T] {
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"string"}}, set: func(d *decoder, to *T, n *node) {
		if n.kind != kindString {
			d.wrong(n, "text")
			return
		}
		d.placeholder(n)
		*at(to) = n.text
	}}
}

// ident is a name: text or an integer.
func ident[T any, S ~string](name, doc string, at func(*T) *S) key[T] {
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"string", "integer"}}, set: func(d *decoder, to *T, n *node) {
		if n.kind != kindString && n.kind != kindInteger {
			d.wrong(n, "text or an integer")
			return
		}
		d.placeholder(n)
		*at(to) = S(n.text)
	}}
}

func choice[T any, S ~string](name, doc string, at func(*T) *S, values ...S) key[T] {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"string"}, enum: words}, set: func(d *decoder, to *T, n *node) {
		if n.kind != kindString {
			d.wrong(n, "text: "+orList(words))
			return
		}
		for _, w := range words {
			if w == n.text {
				*at(to) = S(w)
				return
			}
		}
		hint := "write " + orList(words)
		if near := nearest(n.text, words); near != "" {
			hint = fmt.Sprintf("did you mean %q? It may be %s", near, orList(words))
		}
		d.add("value-unknown", n.offset, fmt.Sprintf("%s cannot be %q", d.key.name, n.text), hint)
	}}
}

func boolean[T any](name, doc string, at func(*T) *bool) key[T] {
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"boolean"}}, set: func(d *decoder, to *T, n *node) {
		if n.kind != kindBoolean {
			d.wrong(n, "true or false")
			return
		}
		*at(to) = n.text == "true"
	}}
}

func maybeBoolean[T any](name, doc string, at func(*T) **bool) key[T] {
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"boolean"}}, set: func(d *decoder, to *T, n *node) {
		if n.kind != kindBoolean {
			d.wrong(n, "true or false")
			return
		}
		yes := n.text == "true"
		*at(to) = &yes
	}}
}

func number[T any](name, doc string, least, most int, at func(*T) *int) key[T] {
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"integer"}, min: &least, max: &most}, set: func(d *decoder, to *T, n *node) {
		if v, ok := d.integer(n, least, most); ok {
			*at(to) = v
		}
	}}
}

func maybeNumber[T any](name, doc string, least, most int, at func(*T) **int) key[T] {
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"integer"}, min: &least, max: &most}, set: func(d *decoder, to *T, n *node) {
		if v, ok := d.integer(n, least, most); ok {
			*at(to) = &v
		}
	}}
}

func (d *decoder) integer(n *node, least, most int) (int, bool) {
	if n.kind != kindInteger {
		d.wrong(n, "an integer")
		return 0, false
	}
	v, err := strconv.Atoi(n.text)
	if err != nil || v < least || v > most {
		d.add("value-range", n.offset, fmt.Sprintf("%s = %s is out of range", d.key.name, n.text),
			fmt.Sprintf("it may be %d to %d", least, most))
		return 0, false
	}
	return v, true
}

const (
	many        = math.MaxInt32
	longestTime = 365 * 24 * time.Hour
)

func duration[T any](name, doc string, at func(*T) *time.Duration) key[T] {
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"string"}, format: "duration"}, set: func(d *decoder, to *T, n *node) {
		if n.kind != kindString {
			d.wrong(n, `text such as "30s" or "5m"`)
			return
		}
		v, err := time.ParseDuration(n.text)
		switch {
		case err != nil:
			d.add("value-range", n.offset, fmt.Sprintf("%s = %q is not a duration", d.key.name, n.text), `write it as "30s", "5m" or "1h30m"`)
		case v <= 0 || v > longestTime:
			d.add("value-range", n.offset, fmt.Sprintf("%s = %q is out of range", d.key.name, n.text), "it must be more than nothing and at most a year")
		default:
			*at(to) = v
		}
	}}
}

func texts[T any](name, doc string, at func(*T) *[]string) key[T] {
	return list(name, doc, false, at)
}

// idents is a list of names, each text or an integer.
func idents[T any](name, doc string, at func(*T) *[]string) key[T] {
	return list(name, doc, true, at)
}

func list[T any](name, doc string, integers bool, at func(*T) *[]string) key[T] {
	item, want := &shape{types: []string{"string"}}, "a list of texts"
	if integers {
		item, want = &shape{types: []string{"string", "integer"}}, "a list of ids"
	}
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"array"}, items: item}, set: func(d *decoder, to *T, n *node) {
		if n.kind != kindArray {
			d.wrong(n, want)
			return
		}
		values := make([]string, len(n.list))
		for i, item := range n.list {
			if item.kind != kindString && (!integers || item.kind != kindInteger) {
				d.wrong(item, want)
				continue
			}
			d.placeholder(item)
			values[i] = item.text
		}
		*at(to) = values
	}}
}

func sub[T, U any](name, doc string, t *table[U], at func(*T) *U) key[T] {
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"object"}, fields: t.fields}, set: func(d *decoder, to *T, n *node) {
		if n.kind != kindTable {
			d.wrong(n, "a table")
			return
		}
		t.decode(d, at(to), n)
	}}
}

// maybeSub is a table that may be missing. One that is there already is added to.
func maybeSub[T, U any](name, doc string, t *table[U], at func(*T) **U) key[T] {
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"object"}, fields: t.fields}, set: func(d *decoder, to *T, n *node) {
		if n.kind != kindTable {
			d.wrong(n, "a table")
			return
		}
		if *at(to) == nil {
			*at(to) = new(U)
		}
		t.decode(d, *at(to), n)
	}}
}

func subs[T, U any](name, doc string, t *table[U], start func(*U), at func(*T) *[]U) key[T] {
	item := &shape{types: []string{"object"}, fields: t.fields}
	return key[T]{name: name, doc: doc, shape: shape{types: []string{"array"}, items: item}, set: func(d *decoder, to *T, n *node) {
		if n.kind != kindArray {
			d.wrong(n, fmt.Sprintf("a list of tables, [[%s]]", d.key.name))
			return
		}
		values := make([]U, len(n.list))
		for i, item := range n.list {
			if start != nil {
				start(&values[i])
			}
			if item.kind != kindTable {
				d.wrong(item, "a table")
				continue
			}
			t.decode(d, &values[i], item)
		}
		*at(to) = values
	}}
}

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
