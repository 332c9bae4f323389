package envelope

import (
	"cmp"
	"fmt"
	"strings"
)

// A Move is a component that is not what it was.
type Move struct {
	Name     string
	From, To *Component // nil: was not there, is not there
}

// Moves lists what moved from e to later, sorted by name. A nil envelope has no
// components.
func (e *Envelope) Moves(later *Envelope) []Move {
	var old, now []Component
	if e != nil {
		old = sorted(e.Components)
	}
	if later != nil {
		now = sorted(later.Components)
	}
	var moves []Move
	for len(old) > 0 || len(now) > 0 {
		switch order := nameOrder(old, now); {
		case order < 0:
			moves = append(moves, Move{Name: old[0].Name, From: own(old[0])})
			old = old[1:]
		case order > 0:
			moves = append(moves, Move{Name: now[0].Name, To: own(now[0])})
			now = now[1:]
		default:
			if old[0] != now[0] {
				moves = append(moves, Move{Name: old[0].Name, From: own(old[0]), To: own(now[0])})
			}
			old, now = old[1:], now[1:]
		}
	}
	return moves
}

// own is a copy of a component that belongs to no envelope.
func own(c Component) *Component { return &c }

// nameOrder compares the first names of two lists; the end of a list comes
// after every name.
func nameOrder(a, b []Component) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return cmp.Compare(a[0].Name, b[0].Name)
}

// Label is the name of the component, for people.
func (m Move) Label() string { return strings.Replace(m.Name, ":", " ", 1) }

// String says it in plain words.
func (m Move) String() string {
	name := m.Label()
	switch {
	case m.From == nil && m.To == nil:
		return name + " did not move"
	case m.To == nil:
		return fmt.Sprintf("%s is gone; it was %s", name, m.From.state())
	case m.From == nil:
		return fmt.Sprintf("%s is new: %s", name, m.To.state())
	case m.To.Digest.IsZero() && !m.From.Digest.IsZero():
		return fmt.Sprintf("%s is gone (%s); it was %s", name, m.To.Text, m.From.state())
	case m.To.Text == m.From.Text && m.To.Text != "":
		return fmt.Sprintf("%s moved from sha256 %s to %s, still as %q", name, m.From.Digest.Short(),
			m.To.Digest.Short(), m.To.Text)
	}
	return fmt.Sprintf("%s moved from %s to %s", name, m.From.state(), m.To.state())
}

// state is what a component is, for people.
func (c *Component) state() string {
	switch {
	case c.Digest.IsZero():
		return fmt.Sprintf("not there (%s)", c.Text)
	case c.Text == "":
		return "sha256 " + c.Digest.Short()
	}
	return fmt.Sprintf("%q (sha256 %s)", c.Text, c.Digest.Short())
}
