package document

import (
	"bufio"
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
)

// encode writes an indented JSON document, in parts: no document is ever in
// memory as a whole. Invisible and formatting characters are written as \u
// escapes, so that a document that is shown on a terminal shows what it holds;
// its meaning stays the same.
func encode(w io.Writer, v any) error {
	e := &encoder{w: bufio.NewWriter(w)}
	e.part = json.NewEncoder(&e.buffer)
	e.part.SetEscapeHTML(false)
	e.value(reflect.ValueOf(v), "")
	e.text("\n")
	if e.err != nil {
		return fmt.Errorf("document: %w", e.err)
	}
	return e.w.Flush()
}

// encodeLines writes a line of JSON for each value.
func encodeLines[T any](w io.Writer, list []T) error {
	for _, v := range list {
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return fmt.Errorf("document: %w", err)
		}
		if _, err := w.Write(safetext.JSON(line.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// An encoder walks through structures and lists, and has encoding/json write
// what is in them. Its bytes are those of an indenting json.Encoder.
type encoder struct {
	w      *bufio.Writer
	buffer bytes.Buffer
	part   *json.Encoder // into buffer
	err    error
}

func (e *encoder) text(s string) { _, _ = e.w.WriteString(s) } // the writer keeps its error

// value writes a value: what is walked through in parts, everything else by
// encoding/json.
func (e *encoder) value(v reflect.Value, indent string) {
	for v.Kind() == reflect.Pointer && !v.IsNil() && walked(v.Type().Elem()) {
		v = v.Elem()
	}
	drawn, _ := v.Interface().(elements)
	switch {
	case drawn != nil:
		e.list(drawn.length(), func(i int) reflect.Value { return reflect.ValueOf(drawn.at(i)) }, indent)
	case v.Kind() == reflect.Slice && v.Len() > 0 && walked(v.Type()):
		e.list(v.Len(), v.Index, indent)
	case v.Kind() == reflect.Struct && walked(v.Type()):
		e.object(v, indent)
	default:
		e.leaf(v, indent)
	}
}

// walked reports whether values of a type are written in parts: structures that
// encoding/json writes field by field, and lists of structures.
func walked(t reflect.Type) bool {
	if t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer:
		return walked(t.Elem())
	case reflect.Slice: // of structures, whoever writes these
		return t.Elem().Kind() == reflect.Struct || t.Elem().Kind() == reflect.Pointer
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).Anonymous { // is left to encoding/json
				return false
			}
		}
		return true
	}
	return false
}

// leaf has encoding/json write a value. Its buffer is used again for the next
// one.
func (e *encoder) leaf(v reflect.Value, indent string) {
	e.buffer.Reset()
	e.part.SetIndent(indent, "  ")
	if err := e.part.Encode(v.Interface()); err != nil {
		e.err = errors.Join(e.err, err)
		return
	}
	_, _ = e.w.Write(safetext.JSON(bytes.TrimSuffix(e.buffer.Bytes(), []byte("\n"))))
}

// list writes n elements, one after another.
func (e *encoder) list(n int, at func(i int) reflect.Value, indent string) {
	e.text("[")
	for i := range n {
		e.next(i, indent)
		e.value(at(i), indent+"  ")
	}
	if n > 0 {
		e.text("\n" + indent)
	}
	e.text("]")
}

// A sequence is a list whose elements are made when they are written, one after
// another: a long one is never in memory as a whole.
type sequence[T any] struct {
	n    int
	make func(i int) T
}

func (l sequence[T]) length() int  { return l.n }
func (l sequence[T]) at(i int) any { return l.make(i) }

// elements are those of a sequence, of whatever type.
type elements interface {
	length() int
	at(i int) any
}

// object writes the fields of a structure under the names of their tags. It
// knows no option but omitempty.
func (e *encoder) object(v reflect.Value, indent string) {
	e.text("{")
	n := 0
	for i := range v.NumField() {
		name, options, tagged := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if !v.Type().Field(i).IsExported() || tagged && options == "omitempty" && empty(v.Field(i)) {
			continue
		}
		e.next(n, indent)
		e.text(strconv.Quote(name) + ": ")
		e.value(v.Field(i), indent+"  ")
		n++
	}
	if n > 0 {
		e.text("\n" + indent)
	}
	e.text("}")
}

// next begins a member of a list or an object.
func (e *encoder) next(i int, indent string) {
	if i > 0 {
		e.text(",")
	}
	e.text("\n" + indent + "  ")
}

// empty is what encoding/json leaves out under omitempty.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// A stamp is a time of the journal.
type stamp struct{ time.Time }

// newStamp takes the wall clock's time to the millisecond. What a process knows
// besides, its monotonic clock, is not in the journal.
func newStamp(t time.Time) stamp {
	if t.IsZero() {
		return stamp{}
	}
	return stamp{t.UTC().Truncate(time.Millisecond)}
}

// stampLayout is RFC 3339 in UTC, always with three digits of a second, so that
// stamps sort as text.
const stampLayout = "2006-01-02T15:04:05.000Z"

// String is the stamp as it stands in JSON; "" for the zero time.
func (s stamp) String() string {
	if s.IsZero() {
		return ""
	}
	return s.UTC().Format(stampLayout)
}

// MarshalJSON writes null for the zero time.
func (s stamp) MarshalJSON() ([]byte, error) {
	if s.IsZero() {
		return []byte("null"), nil
	}
	return strconv.AppendQuote(nil, s.String()), nil
}

// A span is a duration, in JSON a whole number of milliseconds.
type span time.Duration

// MarshalJSON writes milliseconds.
func (s span) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Duration(s).Milliseconds(), 10), nil
}

func (s span) String() string { return Duration(time.Duration(s)) }

// between is the time from a to b, never negative; 0 if one of them is not
// known.
func between(a, b stamp) span {
	if a.IsZero() || b.IsZero() || b.Before(a.Time) {
		return 0
	}
	return span(b.Sub(a.Time))
}

// atWork is how long controllers were at work from a to b.
func atWork(r *history.Run, a, b stamp) span { return span(r.Worked(a.Time, b.Time)) }

// Took is how long controllers were at work from a to b, as all documents say it.
func Took(r *history.Run, a, b time.Time) string { return atWork(r, newStamp(a), newStamp(b)).String() }

// workedOn is how long controllers were at work on tasks: while a step of theirs
// was under way, or an attempt that was set back since. What was under way at
// once counts once, and what was done in between for others does not.
func workedOn(r *history.Run, tasks ...*task) span {
	type stretch struct{ from, to stamp }
	var all []stretch
	for _, t := range tasks {
		for _, s := range t.Steps {
			end := s.Ended
			if end.IsZero() { // it is under way, or the run ended before it did
				end = latest(r)
			}
			all = append(all, stretch{s.Started, end})
			for _, a := range s.Attempts {
				if a.RolledBack {
					all = append(all, stretch{a.Started, a.Ended})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return a.from.Compare(b.from.Time) })
	var took span
	var until stamp
	for _, x := range all {
		if x.from.IsZero() {
			continue // it never began
		}
		if x.from.Before(until.Time) {
			x.from = until
		}
		if took += atWork(r, x.from, x.to); x.to.After(until.Time) {
			until = x.to
		}
	}
	return took
}

// Duration writes a duration for people: "0.9 s", "2 min 05 s", "3 h 04 min".
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Duration(-d)
	case d < time.Minute-50*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %02d s", int(d/time.Minute), int(d%time.Minute/time.Second))
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %02d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
}

// A path keeps names that are not UTF-8: they stand in base64 beside the field
// that would hold them.
type path struct {
	Path   string `json:"path,omitempty"`
	Base64 string `json:"path_base64,omitempty"`
	shown  string // as the file system has it
}

// newPath describes a name of the file system, whatever bytes it consists of.
func newPath(name string) path {
	if utf8.ValidString(name) {
		return path{Path: name, shown: name}
	}
	return path{Base64: base64.StdEncoding.EncodeToString([]byte(name)), shown: name}
}

// text is the path as far as text can say it: bytes that are not UTF-8 are
// written out.
func (p path) text() string {
	if p.Base64 == "" {
		return p.Path
	}
	return safetext.Escape(p.shown)
}

// A pair is one entry of an ordered object.
type pair[T any] struct {
	Key   string
	Value T
}

// ordered is a JSON object whose keys keep their order.
type ordered[T any] []pair[T]

// MarshalJSON writes the pairs in order.
func (o ordered[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(p.Key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(p.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// clock is a time for people, in UTC.
func (s stamp) clock() string { return s.UTC().Format("2006-01-02 15:04:05 UTC") }

// seconds is a duration, in JSON a number of seconds with three places.
type seconds span

// MarshalJSON writes seconds.
func (s seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(time.Duration(s).Milliseconds())/1000, 'f', -1, 64), nil
}

// Shown is the path as it is shown: nothing in it is invisible.
func (p path) Shown() string { return safetext.Escape(p.shown) }
