package history

import (
	"fmt"
	"strings"
	"time"
)

// Repeated says what came of it that an attempt's step, which is to do the same each
// time, was executed a second time: in a place that is thrown away, on the tree that the
// attempt began with, with the same inputs.
type Repeated struct {
	Not    string        `json:"not_compared,omitempty"` // why nothing was compared
	Took   time.Duration `json:"took_ns,omitempty"`      // by the executor
	Unlike []Unlike      `json:"unlike,omitempty"`       // where they differ, the first; none: nowhere
	Total  int           `json:"total,omitempty"`        // in how many places they differ
	// Printed is how what they printed differs; "": it does not, or was not
	// compared. It fails nothing: times and addresses are printed, too.
	Printed string `json:"printed,omitempty"`
}

// An Unlike is a difference of two executions of one step.
type Unlike struct {
	Path string `json:"path,omitempty"` // "": of how they ended, or of what a gate says of them
	How  string `json:"how"`
}

// String is as in "a.txt: line 2: …".
func (u Unlike) String() string {
	if u.Path == "" {
		return u.How
	}
	return u.Path + ": " + u.How
}

func (*Repeated) Type() string { return "repeated" }

func (f *Repeated) String() string {
	switch {
	case f.Not != "":
		return sprint("not compared: %s", f.Not)
	case len(f.Unlike) == 0 && f.Printed != "":
		return sprint("the same a second time, in %s, but for what it printed: %s",
			f.Took.Round(100*time.Millisecond), f.Printed)
	case len(f.Unlike) == 0:
		return fmt.Sprintf("the same a second time, in %s", f.Took.Round(100*time.Millisecond))
	}
	return sprint("%s a second time: %s", count(f.Total, "difference"), strings.Join(f.Lines(), "; "))
}

// Lines are the differences, a line each; the last says how many more there are.
func (f *Repeated) Lines() []string {
	var lines []string
	for _, u := range f.Unlike {
		lines = append(lines, u.String())
	}
	if more := f.Total - len(f.Unlike); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// Same reports whether two executions were compared and are the same.
func (f *Repeated) Same() bool { return f != nil && f.Not == "" && f.Total == 0 }
