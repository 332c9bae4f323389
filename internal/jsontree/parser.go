package jsontree

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A parser reads one value. After an error at is where it was met.
type parser struct {
	src string
	at  int
	t   *Tree
}

// Parse reads one value at the beginning of text from offset, and returns where
// it ended. What follows is the caller's.
func Parse(text string, offset int) (Value, int, error) {
	p := &parser{src: text, at: offset, t: &Tree{src: text}}
	p.t.nodes = make([]node, 0, min(len(text)/16+4, 1<<16))
	p.blank()
	i, err := p.value(0, -1)
	if err != nil {
		return Value{}, p.at, err
	}
	return Value{p.t, i}, p.at, nil
}

// ParseAll reads a text that holds one value and nothing else.
func ParseAll(text string) (Value, error) {
	v, end, err := Parse(text, 0)
	if err != nil {
		return Value{}, err
	}
	if rest := strings.TrimLeft(text[end:], " \t\r\n"); rest != "" {
		return Value{}, &Error{len(text) - len(rest), "there is more behind the end of the value"}
	}
	return v, nil
}

// fail is an error at the present place.
func (p *parser) fail(reason string) error { return &Error{p.at, reason} }

// blank goes over white space.
func (p *parser) blank() {
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
}

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

// value reads a value, with all in it, and returns its node. key is where its
// name begins, -1 if it has none.
func (p *parser) value(depth int, key int32) (int32, error) {
	if depth > MaxDepth {
		return 0, p.fail(fmt.Sprintf("values are nested more than %d deep", MaxDepth))
	}
	i := int32(len(p.t.nodes))
	p.t.nodes = append(p.t.nodes, node{key: key, start: int32(p.at)})
	var kind Kind
	var err error
	switch c := p.peek(); {
	case c == '{' || c == '[':
		kind, err = p.list(i, depth)
	case c == '"':
		kind, err = String, p.text()
	case c == '-' || c >= '0' && c <= '9':
		kind, err = Number, p.number()
	default:
		kind, err = p.word()
	}
	n := &p.t.nodes[i]
	n.kind, n.end = kind, int32(p.at)
	return i, err
}

// word reads true, false or null. Whatever else stands where a value should be
// gets the reason that helps most: texts that models write break in few ways.
func (p *parser) word() (Kind, error) {
	for _, w := range []struct {
		name string
		kind Kind
	}{{"true", Bool}, {"false", Bool}, {"null", Null}} {
		if strings.HasPrefix(p.src[p.at:], w.name) {
			p.at += len(w.name)
			return w.kind, nil
		}
	}
	switch {
	case p.at >= len(p.src):
		return Null, p.fail("the text ends where a value should be")
	case strings.HasPrefix(p.src[p.at:], "...") || strings.HasPrefix(p.src[p.at:], "…"):
		return Null, p.fail("an ellipsis stands where a value should be: something was left out")
	case strings.HasPrefix(p.src[p.at:], "//") || strings.HasPrefix(p.src[p.at:], "/*") || p.peek() == '#':
		return Null, p.fail("a comment: JSON has none")
	case p.peek() == '\'':
		return Null, p.fail("a text in single quotes: JSON has double quotes only")
	case p.peek() == ']' || p.peek() == '}':
		return Null, p.fail("a value is missing, or a comma is too many")
	}
	return Null, p.fail(fmt.Sprintf("%q cannot begin a value", first(p.src[p.at:])))
}

// first is the first character of s.
func first(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// list reads an array or an object; its children are chained.
func (p *parser) list(parent int32, depth int) (Kind, error) {
	open, kind, end := p.peek(), Array, byte(']')
	if open == '{' {
		kind, end = Object, '}'
	}
	p.at++
	var last int32
	for count := 0; ; count++ {
		p.blank()
		if p.peek() == end && count == 0 {
			p.at++
			return kind, nil
		}
		key, err := p.key(kind)
		if err != nil {
			return kind, err
		}
		child, err := p.value(depth+1, key)
		if err != nil {
			return kind, err
		}
		if last == 0 {
			p.t.nodes[parent].first = child
		} else {
			p.t.nodes[last].next = child
		}
		last = child
		p.blank()
		switch c := p.peek(); {
		case c == end:
			p.at++
			return kind, nil
		case c == ',':
			p.at++
		case p.at >= len(p.src):
			return kind, p.fail(fmt.Sprintf("the text ends before the %q that closes %s", end, kind))
		default:
			return kind, p.fail(fmt.Sprintf("a comma or %q is missing before %q", end, first(p.src[p.at:])))
		}
	}
}

// key reads the name of a member and the colon behind it; -1 in arrays.
func (p *parser) key(kind Kind) (int32, error) {
	if kind == Array {
		return -1, nil
	}
	key := p.at
	if p.peek() != '"' {
		c := p.peek()
		if rest := p.src[p.at:]; c == '.' || c == '/' || c == '#' || c == '\'' || rest == "" ||
			strings.HasPrefix(rest, "…") {
			_, err := p.word()
			return 0, err
		}
		return 0, p.fail("a name in double quotes is missing, or a comma is too many")
	}
	if err := p.text(); err != nil {
		return 0, err
	}
	p.blank()
	if p.peek() != ':' {
		return 0, p.fail("a colon is missing behind the name")
	}
	p.at++
	p.blank()
	return int32(key), nil
}

// text goes over a text, and checks it.
func (p *parser) text() error {
	for p.at++; p.at < len(p.src); p.at++ {
		switch c := p.src[p.at]; {
		case c == '"':
			p.at++
			return nil
		case c < 0x20:
			return p.fail("a text holds a line end or another control character; write \\n")
		case c == '\\':
			p.at++
			if err := p.escape(); err != nil {
				return err
			}
		}
	}
	return p.fail("the text ends inside double quotes")
}

// escape checks what follows a backslash.
func (p *parser) escape() error {
	if p.at >= len(p.src) {
		return p.fail("the text ends inside double quotes")
	}
	if p.src[p.at] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, p.src[p.at]) < 0 {
			return p.fail(fmt.Sprintf("\\%c is no escape; write \\\\ for a backslash", first(p.src[p.at:])))
		}
		return nil
	}
	for range 4 {
		p.at++
		if p.at >= len(p.src) || strings.IndexByte("0123456789abcdefABCDEF", p.src[p.at]) < 0 {
			return p.fail("\\u needs four hexadecimal digits")
		}
	}
	return nil
}

// number reads all that a number can be made of, and leaves it to the standard
// library whether it is one.
func (p *parser) number() error {
	rest := p.src[p.at:]
	end := len(rest) - len(strings.TrimLeft(rest, "+-.0123456789Ee"))
	if !json.Valid([]byte(rest[:end])) {
		return p.fail("this is no number")
	}
	p.at += end
	return nil
}
