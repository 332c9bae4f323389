package agree

import (
	"fmt"
	"maps"
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

// A Comparison is what comparing the documents of a run came to.
type Comparison struct {
	Contradictions []string // of which two documents say different things, a line each
	Compared       int      // things that stand in more than one
}

// Compare compares the documents of a run, by name. The error says which of
// them cannot be read as one of its kind.
func Compare(docs map[string]string) (Comparison, error) {
	var all claims
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		for _, k := range kinds {
			if k.is(name) {
				if err := k.read(&all, name, docs[name]); err != nil {
					return Comparison{}, fmt.Errorf("%s: %w", name, err)
				}
			}
		}
	}
	found := Comparison{Contradictions: all.contradictions()}
	for _, said := range all.said {
		if len(said) > 1 {
			found.Compared++
		}
	}
	return found, nil
}

// kinds are the documents that are read.
var kinds = []struct {
	is   func(name string) bool
	read func(c *claims, name, text string) error
}{
	{named("report.json"), readReport},
	{like("progress_", ".json"), readProgress},
	{named("summary.json"), readFigures},
	{like("checkpoint-", ".json"), readCheckpoint},
	{named("pending_actions.json"), readPending},
	{named("report.txt"), readText},
	{named("report.md"), readMarkdown},
	{named("SUMMARY.md"), readSummary},
	{named("report.html"), readPage},
	{named("next-session.md"), readNextSession},
	{named("checkpoint.yaml"), readSession},
	{like("notepad_", ".md"), readNotepad},
	{like("execution_learnings_", ".md"), readLearnings},
}

func named(name string) func(string) bool { return func(n string) bool { return n == name } }

func like(before, after string) func(string) bool {
	return func(n string) bool { return strings.HasPrefix(n, before) && strings.HasSuffix(n, after) }
}
