package plan

import (
	"fmt"
	"path"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// logKey is where a plan asks for its progress log, which the controller writes.
const logKey = "logging.output_file"

// logPaths judges where a plan asks for files of its own. The controller overwrites the progress log and never counts it as
// a change, so it may not be anything that belongs to somebody else.
func (c *checker) logPaths() {
	for _, s := range c.p.Settings {
		switch s.Key {
		case logKey, "knowledge_capture.notepad_path", "progress_tracking.progress_file":
		default:
			continue
		}
		if s.Value.Kind == kindString && s.Value.Text == "" {
			continue // asks for none
		}
		if why := c.logFault(s); why != "" {
			c.report("log-path-invalid", s.Key, fmt.Sprintf("%s cannot be %q: %s", s.Key, s.Value.Text, why), `name a file of its own, as in "progress_NAME.json"`)
		}
	}
}

// logFault says why a setting names no file that may be written, or "".
func (c *checker) logFault(s Setting) string {
	name := s.Value.Text
	if s.Value.Kind != kindString {
		return "it is not a text"
	}
	if err := ledger.CheckPattern(name); err != nil {
		return strings.TrimPrefix(err.Error(), ledger.ErrPattern.Error()+": ")
	}
	if ledger.Reserved(name) {
		return ".git and .planlock belong to others"
	}
	if s.Key != logKey {
		return "" // nobody writes it
	}
	switch base := path.Base(name); {
	case strings.ContainsAny(name, "*?{"):
		return "it is a glob"
	case !strings.HasPrefix(base, "progress") || !strings.HasSuffix(base, ".json"):
		return `the progress log is a file whose name begins with "progress" and ends in ".json"`
	}
	for own := range c.own {
		if fold(own) == fold(name) {
			return "the plan or its lock stands there"
		}
	}
	artifacts := c.declared(name)
	if !c.affords(s.Key, len(artifacts.globs)+len(c.nonGoals.globs)+len(c.envelope.globs)) {
		return ""
	}
	if id, ok := c.nonGoals.meets(name); ok {
		return fmt.Sprintf("it is protected by non-goal %q", id)
	}
	if part, ok := c.envelope.meets(name); ok {
		return fmt.Sprintf("it is part of the envelope (%q)", part)
	}
	if a, ok := artifacts.meets(name); ok {
		return fmt.Sprintf("step %s declares it as its artifact", a)
	}
	return ""
}

// declared collects what steps declare as artifacts. A path that differs from name only as file systems may not tell, or
// lies below it, stands for name itself.
func (c *checker) declared(name string) *patterns {
	ps, folded := newPatterns(), fold(name)
	for _, t := range c.p.Tasks {
		for _, s := range t.Steps {
			if s.Artifacts == nil {
				continue
			}
			owner := string(addressOf(t.ID, s.ID))
			for _, list := range [][]string{s.Artifacts.Create, s.Artifacts.Modify, s.Artifacts.Delete} {
				for _, p := range list {
					if f := fold(p); f == folded || strings.HasPrefix(f, folded+"/") {
						p = name
					}
					ps.add(p, owner)
				}
			}
		}
	}
	return ps
}
