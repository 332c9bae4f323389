package jsontree

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ParseStrict reads a text that holds one value and nothing else, of which all
// readers make the same: it is UTF-8, and no object has two members of a name.
// Programs that answer each other have to agree about which of the two counts.
func ParseStrict(text string) (Value, error) {
	v, err := ParseAll(text)
	if err != nil {
		return Value{}, err
	}
	if err := v.Strict(); err != nil {
		return Value{}, err
	}
	return v, nil
}

// Strict says where readers could differ about a value: an [*Error] at the
// first byte that is not UTF-8, or at the second member of a name.
func (v Value) Strict() error {
	if i := NotText(v.Raw()); i >= 0 {
		return &Error{v.Offset() + i, fmt.Sprintf("the byte 0x%02x is not UTF-8", v.Raw()[i])}
	}
	return v.once()
}

// NotText is where the first byte stands that is not UTF-8, -1 if there is none.
func NotText(text string) int {
	for i, r := range text {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
			return i
		}
	}
	return -1
}

// once says which member of an object in a value has the name of another.
func (v Value) once() error {
	var seen map[string]bool
	if v.Kind() == Object {
		seen = map[string]bool{}
	}
	for m := range v.Each {
		if seen[m.Key()] {
			return &Error{m.KeyOffset(), fmt.Sprintf("the name %q stands twice in an object", m.Key())}
		}
		if seen != nil {
			seen[m.Key()] = true
		}
		if err := m.once(); err != nil {
			return err
		}
	}
	return nil
}

// Spelled says which member in a value has one of the names in other letters: a
// reader that knows no case takes it for the member of that name.
func (v Value) Spelled(names []string) error {
	for m := range v.Each {
		for _, name := range names {
			if m.Key() != name && strings.EqualFold(m.Key(), name) {
				return &Error{m.KeyOffset(), fmt.Sprintf("the name %q is spelled %q", name, m.Key())}
			}
		}
		if err := m.Spelled(names); err != nil {
			return err
		}
	}
	return nil
}
