package envelope

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/planlock/planlock/ledger"
)

// encoding names the canonical form of which [Envelope.Digest] is the digest.
const encoding = "planlock.envelope/1"

// A Component is one thing that the outcome depends on.
type Component struct {
	Name   string        `json:"name"`   // as in "tool:git"; the package documentation lists them
	Digest ledger.Digest `json:"digest"` // zero: not there
	// for people: a version, a level, why there is no digest; one printable
	// line
	Text string `json:"text,omitempty"`
}

// An Envelope is a set of components, sorted by name.
type Envelope struct {
	Components []Component `json:"components"`
}

// Add adds components, in whichever order. One that is there already is not
// added again.
func (e *Envelope) Add(components ...Component) {
	e.Components = sortInPlace(append(e.Components, components...))
}

// Digest is the digest of all components: of their canonical form, which is the
// line planlock.envelope/1 and then name, digest and text of each component, in
// order, each as its length in bytes, a colon, itself and a newline.
func (e *Envelope) Digest() ledger.Digest {
	form := make([]byte, 0, 1<<10)
	form = append(form, encoding+"\n"...)
	if e != nil {
		for _, c := range sorted(e.Components) {
			for _, text := range [...]string{c.Name, string(c.Digest), c.Text} {
				form = append(strconv.AppendInt(form, int64(len(text)), 10), ':')
				form = append(append(form, text...), '\n')
			}
		}
	}
	return ledger.Sum(form)
}

// sorted is components in order of their names, without repetitions. Components
// that are so already are returned as they are, and others are left as they
// are.
func sorted(components []Component) []Component {
	for i := 1; i < len(components); i++ {
		if components[i-1].compare(components[i]) >= 0 {
			return sortInPlace(slices.Clone(components))
		}
	}
	return components
}

func sortInPlace(components []Component) []Component {
	slices.SortFunc(components, Component.compare)
	return slices.Compact(components)
}

func (c Component) compare(o Component) int {
	return cmp.Or(cmp.Compare(c.Name, o.Name), cmp.Compare(c.Digest, o.Digest), cmp.Compare(c.Text, o.Text))
}
