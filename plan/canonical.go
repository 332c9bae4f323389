package plan

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/planlock/planlock/ledger"
)

// canonicalName begins every encoding, so that its digest is never that of
// anything else.
const canonicalName = "planlock.plan/1\n"

// Canonical is the versioned encoding of the plan's meaning, as
// docs/canonical-encoding.md specifies it. Two plans mean the same exactly if
// their encodings are equal.
func (p *Plan) Canonical() []byte {
	e := &encoder{buf: []byte(canonicalName)}
	e.record(p.Visit)
	return e.buf
}

// Digest is the digest of the canonical encoding.
func (p *Plan) Digest() ledger.Digest { return ledger.Sum(p.Canonical()) }

// An encoder visits a plan and writes its values in canonical form:
//
//	text     s LENGTH : BYTES       integer  i DECIMAL ;
//	boolean  t or f                 list     [ values ]
//	record   { name value … }       names in byte order, each a text
//
// A field that says nothing is left out of its record. That is what keeps old
// digests when a field is added.
type encoder struct {
	buf    []byte
	fields []field // of the records that are being written, innermost last
	thin   string  // the name of the table that is no more than its only key, or ""
	spare  []byte
}

// A field is the part of a record that begins with the name and ends before the
// next field.
type field struct {
	name     string
	from, to int // to is known once the record is over
}

// record writes the fields that visit tells, in the order of their names.
func (e *encoder) record(visit func(Visitor)) {
	e.buf = append(e.buf, '{')
	first := len(e.fields)
	visit(e)
	e.sort(e.fields[first:])
	e.fields = e.fields[:first]
	e.buf = append(e.buf, '}')
}

// sort brings the fields at the end of what is written in order.
func (e *encoder) sort(fields []field) {
	byName := func(a, b field) int { return cmp.Compare(a.name, b.name) }
	if slices.IsSortedFunc(fields, byName) {
		return
	}
	begin, end := fields[0].from, len(e.buf)
	for i := len(fields) - 1; i >= 0; i-- {
		end, fields[i].to = fields[i].from, end
	}
	slices.SortFunc(fields, byName)
	e.spare = e.spare[:0]
	for _, f := range fields {
		e.spare = append(e.spare, e.buf[f.from:f.to]...)
	}
	copy(e.buf[begin:], e.spare)
}

// name begins a field.
func (e *encoder) name(k Key) {
	name := k.Name
	if e.thin != "" {
		name, e.thin = e.thin, ""
	}
	e.fields = append(e.fields, field{name: name, from: len(e.buf)})
	e.string(name)
}

// string writes a text with its length before it, so that no text can end
// another or begin a field.
func (e *encoder) string(s string) {
	e.buf = append(e.buf, 's')
	e.buf = strconv.AppendInt(e.buf, int64(len(s)), 10)
	e.buf = append(e.buf, ':')
	e.buf = append(e.buf, s...)
}

// integer writes a number in decimal digits: of any size, and never as a
// floating point number, which would lose digits.
func (e *encoder) integer(n int64) {
	e.buf = append(e.buf, 'i')
	e.buf = strconv.AppendInt(e.buf, n, 10)
	e.buf = append(e.buf, ';')
}

// Text writes a text, unless it is empty.
func (e *encoder) Text(k Key, at *string) {
	if *at != "" {
		e.name(k)
		e.string(*at)
	}
}

// Flag writes a truth.
func (e *encoder) Flag(k Key, at **bool) {
	if *at == nil {
		return
	}
	e.name(k)
	if **at {
		e.buf = append(e.buf, 't')
	} else {
		e.buf = append(e.buf, 'f')
	}
}

// Number writes an integer.
func (e *encoder) Number(k Key, at **int) {
	if *at != nil {
		e.name(k)
		e.integer(int64(**at))
	}
}

// Duration writes nanoseconds.
func (e *encoder) Duration(k Key, at *time.Duration) {
	if *at != 0 {
		e.name(k)
		e.integer(int64(*at))
	}
}

// Texts writes a list; one without an order is sorted, each of its texts once.
func (e *encoder) Texts(k Key, at *[]string) {
	if *at == nil {
		return
	}
	list := *at
	if k.Set && !slices.IsSorted(list) {
		list = slices.Sorted(slices.Values(list))
	}
	e.name(k)
	e.buf = append(e.buf, '[')
	for i, s := range list {
		if !k.Set || i == 0 || s != list[i-1] {
			e.string(s)
		}
	}
	e.buf = append(e.buf, ']')
}

// Table writes a record, unless it says nothing.
func (e *encoder) Table(k Key, t Table) {
	switch {
	case t.Thin:
		e.thin = k.Name
		t.Visit(e)
		e.thin = ""
	case t.Part:
		from, fields := len(e.buf), len(e.fields)
		e.name(k)
		empty := len(e.buf) + len("{}")
		if e.record(t.Visit); len(e.buf) == empty {
			e.buf, e.fields = e.buf[:from], e.fields[:fields]
		}
	case t.Said:
		e.name(k)
		e.record(t.Visit)
	}
}

// Tables writes a list of records.
func (e *encoder) Tables(k Key, t Tables) {
	if !t.Said {
		return
	}
	e.name(k)
	e.buf = append(e.buf, '[')
	for i := range t.Len {
		e.record(func(v Visitor) { t.Visit(i, v) })
	}
	e.buf = append(e.buf, ']')
}

// Settings writes free keys, in the order of their names.
func (e *encoder) Settings(k Key, at *[]Setting) {
	if len(*at) == 0 {
		return
	}
	sorted := slices.Clone(*at)
	slices.SortStableFunc(sorted, Setting.Compare)
	list(e, k, &sorted, (*Setting).visit)
}

// FreeTables writes what stands in them as settings.
func (e *encoder) FreeTables(k Key, at *[]Setting) { e.Settings(k, at) }

// The records of settings, which only the encoder visits.

// visit tells the key of a setting and its value, which is a record of its
// own.
func (s *Setting) visit(v Visitor) {
	v.Text(Key{Name: "key"}, &s.Key)
	v.Table(Key{Name: "value"}, Table{Said: true, Visit: s.Value.visit})
}

// visit tells kind, items and text. A list within a list is visited in the
// same way, as deep as it goes; readers bound how deep that is.
func (x *Value) visit(v Visitor) {
	v.Text(Key{Name: "kind"}, &x.Kind)
	list(v, Key{Name: "list"}, &x.List, (*Value).visit)
	v.Text(Key{Name: "text"}, &x.Text)
}

// changedFields names the fields of two records that do not mean the same,
// sorted.
func changedFields(old, now func(Visitor)) []string {
	a, b := fieldsOf(old), fieldsOf(now)
	for name, text := range a { // in any order: each name is by itself
		if b[name] == text {
			delete(b, name)
		} else {
			b[name] = text
		}
	}
	return slices.Sorted(maps.Keys(b))
}

// fieldsOf encodes the fields that visit tells one by one, by name.
func fieldsOf(visit func(Visitor)) map[string]string {
	e, fields := &encoder{}, map[string]string{}
	visit(e)
	for i, f := range e.fields {
		end := len(e.buf)
		if i+1 < len(e.fields) {
			end = e.fields[i+1].from
		}
		fields[f.name] = string(e.buf[f.from:end])
	}
	return fields
}
