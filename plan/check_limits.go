package plan

import (
	"fmt"
	"slices"
)

func (c *checker) limits(s *Step) {
	l := s.Limits
	if l != nil {
		for k, m := range l.Modules {
			if m != "." {
				c.pattern(fmt.Sprintf("limits.modules[%d]", k), m)
			}
		}
	}
	if s.Artifacts == nil || !changesFiles(s.Artifacts) {
		return
	}
	n := len(s.Artifacts.Create) + len(s.Artifacts.Modify) + len(s.Artifacts.Delete)
	if c.strict {
		c.limitsMissing(s, n)
	}
	if l != nil && l.MaxFiles != nil && n > *l.MaxFiles {
		c.report("limits-too-small", "limits.max_files", fmt.Sprintf("the step declares more artifacts (%d) than it may change files (%d)", n, *l.MaxFiles), "raise max_files, or declare less")
	}
}

// limitsMissing says which of the two limits a step lacks, unless something else was said of its limits already. n is the number of
// artifacts that it declares.
func (c *checker) limitsMissing(s *Step, n int) {
	l, a := s.Limits, addressOf(c.task, s.ID)
	if bounded(l) || c.limitsMisread(l) {
		return
	}
	switch {
	case l == nil:
		c.report("limits-missing", "", fmt.Sprintf("step %s changes files but declares no limits", a),
			fmt.Sprintf("add  limits = { max_files = %d, max_lines = 80 }  or put it once under [defaults]", n))
	case l.MaxFiles == nil && l.MaxLines == nil:
		c.report("limits-missing", "limits", fmt.Sprintf("the limits of step %s name neither files nor lines", a),
			fmt.Sprintf("add  max_files = %d  and  max_lines = 80  to them", n))
	case l.MaxFiles == nil:
		c.report("limits-missing", "limits", fmt.Sprintf("the limits of step %s lack max_files: it may change any number of files", a),
			fmt.Sprintf("add  max_files = %d  to them", n))
	default:
		c.report("limits-missing", "limits", fmt.Sprintf("the limits of step %s lack max_lines: it may change any number of lines", a),
			"add  max_lines = 80  to them")
	}
}

// bounded reports whether limits bound both files and lines.
func bounded(l *Limits) bool { return l != nil && l.MaxFiles != nil && l.MaxLines != nil }

// limitsMisread reports whether reading found something wrong with the limits of the step, or with those that it inherits: a key that
// is not known, or a value that could not be taken. Mending that may be all there is to do.
func (c *checker) limitsMisread(l *Limits) bool {
	known, _ := Names(new(Limits).visit)
	for _, table := range []string{c.prefix + ".limits", "defaults.limits"} {
		names, written := c.d.keys(table)
		if written && names == nil {
			return true
		}
		for _, name := range names {
			lost := l == nil || name == "max_files" && l.MaxFiles == nil || name == "max_lines" && l.MaxLines == nil
			if lost || !slices.Contains(known, name) {
				return true
			}
		}
	}
	return c.misspelled("limits")
}
