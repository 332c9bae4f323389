package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/planlock/planlock/ledger"
)

// canonicalName begins every encoding, so that its digest is never that of anything else.
const canonicalName = "planlock.plan/1\n"

// Canonical is the versioned encoding of the plan's meaning, as docs/canonical-encoding.md specifies it.
// Two plans mean the same exactly if their encodings are equal.
func (p *Plan) Canonical() []byte {
	var b bytes.Buffer
	p.encode(&b)
	return b.Bytes()
}

// Digest is the digest of the canonical encoding.
func (p *Plan) Digest() ledger.Digest {
	h := sha256.New()
	p.encode(h)
	return sumOf(h)
}

func sumOf(h hash.Hash) ledger.Digest {
	return ledger.Digest("sha256:" + hex.EncodeToString(h.Sum(nil)))
}

func (p *Plan) encode(w io.Writer) {
	e := &encoder{to: w}
	e.buf = append(e.buf, canonicalName...)
	e.plan(p)
	e.flush()
}

// An encoder writes values in canonical form:
//
//	text     s LENGTH : BYTES       integer  i DECIMAL ;
//	boolean  t or f                 list     [ values ]
//	record   { name value … }       names in byte order, each a text
//
// A field that says nothing is left out of its record. That is what keeps old digests when
// a field is added.
type encoder struct {
	to  io.Writer
	buf []byte
}

const bufferSize = 32 << 10

func (e *encoder) flush() {
	e.to.Write(e.buf) // to memory or a hash: neither fails
	e.buf = e.buf[:0]
}

func (e *encoder) string(s string) {
	e.buf = append(e.buf, 's')
	e.buf = strconv.AppendInt(e.buf, int64(len(s)), 10)
	e.buf = append(e.buf, ':')
	e.buf = append(e.buf, s...)
	if len(e.buf) > bufferSize {
		e.flush()
	}
}

func (e *encoder) mark(c byte) { e.buf = append(e.buf, c) }

func (e *encoder) integer(n int64) {
	e.buf = append(e.buf, 'i')
	e.buf = strconv.AppendInt(e.buf, n, 10)
	e.buf = append(e.buf, ';')
}

func (e *encoder) boolean(b bool) {
	if b {
		e.mark('t')
	} else {
		e.mark('f')
	}
}

// The methods below write a field, unless it says nothing.

func (e *encoder) text(name, value string) {
	if value != "" {
		e.string(name)
		e.string(value)
	}
}

func (e *encoder) number(name string, n int) {
	if n != 0 {
		e.string(name)
		e.integer(int64(n))
	}
}

func (e *encoder) duration(name string, d time.Duration) {
	if d != 0 {
		e.string(name)
		e.integer(int64(d))
	}
}

func (e *encoder) maybeNumber(name string, n *int) {
	if n != nil {
		e.string(name)
		e.integer(int64(*n))
	}
}

func (e *encoder) maybeFlag(name string, b *bool) {
	if b != nil {
		e.string(name)
		e.boolean(*b)
	}
}

func (e *encoder) flag(name string, b bool) {
	if b {
		e.string(name)
		e.mark('t')
	}
}

// texts writes a list whose order has a meaning.
func (e *encoder) texts(name string, list []string) {
	if list == nil {
		return
	}
	e.string(name)
	e.mark('[')
	for _, s := range list {
		e.string(s)
	}
	e.mark(']')
}

// set writes a list whose order and repetitions have no meaning.
func (e *encoder) set(name string, list []string) {
	if len(list) > 1 && !strictlySorted(list) {
		list = slices.Clone(list)
		slices.Sort(list)
		list = slices.Compact(list)
	}
	e.texts(name, list)
}

func strictlySorted(list []string) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return false
		}
	}
	return true
}

// records writes a list of records, each by its own function.
func records[T any](e *encoder, name string, list []T, one func(*encoder, *T)) {
	if list == nil {
		return
	}
	e.string(name)
	e.mark('[')
	for i := range list {
		e.mark('{')
		one(e, &list[i])
		e.mark('}')
	}
	e.mark(']')
}

// record writes a record that may be missing; one without fields is not missing.
func record[T any](e *encoder, name string, of *T, one func(*encoder, *T)) {
	if of == nil {
		return
	}
	e.string(name)
	e.mark('{')
	one(e, of)
	e.mark('}')
}

// part writes a record that says nothing if it has no fields.
func part[T any](e *encoder, name string, of *T, one func(*encoder, *T)) {
	var inner encoder
	var b bytes.Buffer
	inner.to = &b
	one(&inner, of)
	inner.flush()
	if b.Len() == 0 {
		return
	}
	e.string(name)
	e.mark('{')
	e.buf = append(e.buf, b.Bytes()...)
	e.mark('}')
}

// settings writes free keys, in the order of their names.
func (e *encoder) settings(name string, list []Setting) {
	if len(list) == 0 {
		return
	}
	list = slices.Clone(list)
	sortSettings(list)
	records(e, name, list, func(e *encoder, s *Setting) {
		e.text("key", s.Key)
		record(e, "value", &s.Value, encodeValue)
	})
}

func encodeValue(e *encoder, v *Value) {
	e.text("kind", v.Kind)
	records(e, "list", v.List, encodeValue)
	e.text("text", v.Text)
}
