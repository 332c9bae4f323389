package document

import (
	"strings"
	"testing"
)

// What stands in a notepad stays as it is, to the byte: lines are added at the
// end of their section, and nothing twice.
func TestIntoAddsOnly(t *testing.T) {
	entry := Entry{Key: "| 2026-11-26 11:20:34 UTC | Task 1 | `R` |", title: "Task 1: A - 2026-11-26 11:20:34 UTC",
		row:   "| 2026-11-26 11:20:34 UTC | Task 1 | `R` | A | completed |",
		notes: []note{{kind: insight, step: "1.1", text: "x"}, {kind: human, text: "y"}}}
	const notes = "### Task 1: A - 2026-11-26 11:20:34 UTC\n\n- step 1.1: x\n"
	for name, c := range map[string]struct{ before, want string }{
		"nothing": {"", "# Notepad: G\n\nWhat runs of this plan taught. planlock adds to it, and changes nothing that stands here.\n" +
			"\n## Key insights\n\n" + notes + "\n## Observations of people\n\n### Task 1: A - 2026-11-26 11:20:34 UTC\n\n- y\n" +
			"\n## Execution timeline\n\n| When | What | Run | Title | Status |\n|---|---|---|---|---|\n" + entry.row + "\n"},
		"sections of people": {"# N\n\n## KEY INSIGHTS\n\nold\n\n\n## Human Observations\n- z\n## Execution Timeline\n\n| A |\n|---|\n| b |\n\nlast words",
			"# N\n\n## KEY INSIGHTS\n\nold\n\n" + notes + "\n\n## Human Observations\n- z\n\n### Task 1: A - 2026-11-26 11:20:34 UTC\n\n- y\n" +
				"## Execution Timeline\n\n| A |\n|---|\n| b |\n" + entry.row + "\n\nlast words"},
		"code is no heading": {"```\n## Key insights\n```\n## Execution timeline\n| b |",
			"```\n## Key insights\n```\n\n## Key insights\n\n" + notes + "\n## Observations of people\n\n### Task 1: A - 2026-11-26 11:20:34 UTC\n\n- y\n" +
				"## Execution timeline\n| b |\n" + entry.row + "\n"},
		"it has it": {"so: " + entry.row, "so: " + entry.row},
	} {
		t.Run(name, func(t *testing.T) {
			m := &Model{Goal: "G"}
			got := Into(c.before, m, []Entry{entry})
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if again := Into(got, m, []Entry{entry}); again != got {
				t.Errorf("it was added twice:\n%s", again)
			}
			crlf := Into(strings.ReplaceAll(c.before, "\n", "\r\n"), m, []Entry{entry})
			if strings.Contains(c.before, "\n") && strings.ReplaceAll(crlf, "\r\n", "\n") != c.want {
				t.Errorf("with CRLF:\n%q", crlf)
			}
		})
	}
}

// Several entries at once, as at the end of a run, share the sections that the
// first of them makes.
func TestIntoSharesSections(t *testing.T) {
	var entries []Entry
	for _, what := range []string{"Task 1", "Task 2", "The run"} {
		key := "| 2026-11-26 11:20:34 UTC | " + what + " | `R` |"
		entries = append(entries, Entry{Key: key, row: key + " A | completed |", title: what, notes: []note{{kind: insight, text: "of " + what}}})
	}
	got := Into("", &Model{Goal: "G"}, entries)
	for _, heading := range []string{"## Key insights\n", "## Execution timeline\n", "| When | What"} {
		if n := strings.Count(got, heading); n != 1 {
			t.Errorf("%q stands there %d times:\n%s", heading, n, got)
		}
	}
	at := 0
	for _, want := range []string{"of Task 1", "of Task 2", "of The run", entries[0].row, entries[1].row, entries[2].row} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("%q does not stand in its place:\n%s", want, got)
		}
		at += i
	}
}
