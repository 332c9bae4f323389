package chain

import "encoding/binary"

// validJSON is json.Valid, and several times as fast: verifying a journal
// spends most of its time on it. A fuzz test holds the two together.
func validJSON(b []byte) bool {
	v := validator{b: b}
	return v.all()
}

// tightJSON reports whether b is JSON with no white space between its parts:
// what json.Compact leaves as it is.
func tightJSON(b []byte) bool {
	v := validator{b: b}
	return v.all() && !v.loose
}

// maxNesting is how deep package json follows arrays and objects.
const maxNesting = 10_000

// A validator stands at b[i].
type validator struct {
	b     []byte
	i     int
	loose bool // it stepped over white space
}

// all reports whether b is one value, and nothing else.
func (v *validator) all() bool {
	v.space()
	if !v.value(0) {
		return false
	}
	v.space()
	return v.i == len(v.b)
}

// next is the byte that v stands at, or 0 at the end; zero bytes are not JSON.
func (v *validator) next() byte {
	if v.i < len(v.b) {
		return v.b[v.i]
	}
	return 0
}

func (v *validator) space() {
	for c := v.next(); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = v.next() {
		v.i, v.loose = v.i+1, true
	}
}

// value steps over a value that has depth others around it. Like the methods
// below it reports whether there is one.
func (v *validator) value(depth int) bool {
	switch c := v.next(); c {
	case '{', '[':
		return depth < maxNesting && v.list(c+2, depth+1) // the closing bracket stands two behind the opening one
	case '"':
		return v.text()
	case 't':
		return v.word("true")
	case 'f':
		return v.word("false")
	case 'n':
		return v.word("null")
	}
	return v.number()
}

// list steps over an array or object, which ends with end.
func (v *validator) list(end byte, depth int) bool {
	v.i++
	v.space()
	if v.next() == end {
		v.i++
		return true
	}
	for {
		if end == '}' && !v.key() || !v.value(depth) {
			return false
		}
		v.space()
		c := v.next()
		v.i++
		switch c {
		case end:
			return true
		case ',':
			v.space()
		default:
			return false
		}
	}
}

// key passes the name of a member, and the colon.
func (v *validator) key() bool {
	if v.next() != '"' || !v.text() {
		return false
	}
	v.space()
	if v.next() != ':' {
		return false
	}
	v.i++
	v.space()
	return true
}

// word passes one of the literals true, false and null.
func (v *validator) word(w string) bool {
	if len(v.b)-v.i < len(w) || string(v.b[v.i:v.i+len(w)]) != w {
		return false
	}
	v.i += len(w)
	return true
}

// text passes a string, eight bytes at a time where none of them means
// anything.
func (v *validator) text() bool {
	b := v.b
	for i := v.i + 1; i < len(b); i++ {
		for i+8 <= len(b) && plain(binary.LittleEndian.Uint64(b[i:])) {
			i += 8
		}
		if i == len(b) {
			break
		}
		switch c := b[i]; {
		case c == '"':
			v.i = i + 1
			return true
		case c < ' ':
			return false
		case c == '\\':
			n := escape(b[i+1:])
			if n == 0 {
				return false
			}
			i += n
		}
	}
	return false
}

// plain reports whether none of eight bytes is a quote, a backslash or a
// control character: those that end a text, or mean something in it.
func plain(x uint64) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := x^ones*'"', x^ones*'\\'
	return ((quote-ones)&^quote|(slash-ones)&^slash|(x-ones*' ')&^x)&tops == 0
}

// escape is the length of what b begins with behind a backslash; 0 if it is
// wrong.
func escape(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
	default:
		return 0
	}
	if len(b) < 5 {
		return 0
	}
	for _, c := range b[1:5] {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return 0
		}
	}
	return 5
}

// number passes a number of JSON, which has no leading zeros.
func (v *validator) number() bool {
	if v.next() == '-' {
		v.i++
	}
	if v.next() == '0' {
		v.i++
	} else if !v.digits() {
		return false
	}
	if v.next() == '.' {
		if v.i++; !v.digits() {
			return false
		}
	}
	if v.next()|0x20 == 'e' {
		if v.i++; v.next() == '+' || v.next() == '-' {
			v.i++
		}
		return v.digits()
	}
	return true
}

// digits steps over one digit or more.
func (v *validator) digits() bool {
	from := v.i
	for isDigit(v.next()) {
		v.i++
	}
	return v.i > from
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
