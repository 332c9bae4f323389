package agree

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
	{named("junit.xml"), readJUnit},
	{named("findings.sarif"), readSARIF},
	{named("github-summary.md"), readJobSummary},
	{named("github-annotations.txt"), readAnnotations},
	{named("pull-request.md"), readPullRequest},
	{like("execution_learnings_", ".md"), readLearnings},
}

func named(name string) func(string) bool { return func(n string) bool { return n == name } }

func like(before, after string) func(string) bool {
	return func(n string) bool { return strings.HasPrefix(n, before) && strings.HasSuffix(n, after) }
}
