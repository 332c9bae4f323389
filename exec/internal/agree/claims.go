package agree

import (
	"fmt"
	"slices"
	"strings"
)

// claims are what documents say, by what it is said of, in the order in which it
// was read.
type claims struct {
	about []string
	said  map[string][]claim
}

// A claim is what one document says of something.
type claim struct{ in, says string }

// say notes what a document says of something.
func (c *claims) say(in, about string, says any) {
	if c.said == nil {
		c.said = map[string][]claim{}
	}
	if c.said[about] == nil {
		c.about = append(c.about, about)
	}
	c.said[about] = append(c.said[about], claim{in, fmt.Sprint(says)})
}

// contradictions are the things of which not all say the same, a line each.
func (c *claims) contradictions() []string {
	var lines []string
	for _, about := range c.about {
		all := c.said[about]
		if !slices.ContainsFunc(all, func(x claim) bool { return x.says != all[0].says }) {
			continue
		}
		var texts []string
		for _, x := range all {
			texts = append(texts, fmt.Sprintf("%s: %q", x.in, x.says))
		}
		lines = append(lines, about+": "+strings.Join(texts, ", "))
	}
	return lines
}
