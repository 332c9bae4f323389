package ask

import (
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/internal/safetext"
)

const (
	maxShownLines = 100 // of the evidence
	maxShownWidth = 400 // of one line of it
	maxLabelWidth = 48  // of a choice, before its consequence moves to the next line
)

// Render returns q as plain text for people: what, why, evidence, and the
// choices with their consequences. It ends with a line end. Everything in q is
// escaped, and what has many lines stands in a column of its own, so that
// nothing in it can be taken for a choice. Long evidence is cut and says so.
func Render(q Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", safetext.Escape(q.What))
	column(&b, "why", safetext.Lines(q.Why))
	column(&b, "evidence", evidence(q.Evidence))
	if q.Teaching != nil {
		teach(&b, q.Teaching)
	}
	if q.Why != "" || len(q.Evidence) > 0 {
		b.WriteByte('\n')
	}
	choices(&b, q.Choices)
	fmt.Fprintf(&b, "\n%s\n", footer(q))
	return b.String()
}

// column writes lines behind a name that stands once.
func column(b *strings.Builder, name string, lines []string) {
	for _, line := range lines {
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-9s  %s", name, line), " "))
		b.WriteByte('\n')
		name = ""
	}
}

// evidence is the lines of texts, each cut to the width of a screen. Of many
// only the first are shown, and the last line says how many there are.
func evidence(texts []string) []string {
	var lines []string
	for _, text := range texts {
		for _, line := range safetext.Lines(text) {
			lines = append(lines, safetext.Clip(line, maxShownWidth))
		}
	}
	if more := len(lines) - maxShownLines; more > 0 {
		lines = append(lines[:maxShownLines], fmt.Sprintf("… and %d more lines", more))
	}
	return lines
}

// choices writes one choice a line, the keys and the labels below each other. A
// label that is too long for that has its consequence below it.
func choices(b *strings.Builder, list []Choice) {
	keys, labels := 0, 0
	for _, c := range list {
		keys = max(keys, safetext.Width(safetext.Escape(c.Key)))
		if w := safetext.Width(safetext.Escape(c.Label)); w <= maxLabelWidth {
			labels = max(labels, w)
		}
	}
	under := strings.Repeat(" ", 2+keys+2)
	for _, c := range list {
		label, consequence := safetext.Escape(c.Label), safetext.Escape(c.Consequence)
		line := "  " + pad(safetext.Escape(c.Key), keys) + "  "
		switch {
		case consequence == "":
			line += label
		case safetext.Width(label) > maxLabelWidth:
			line += label + "\n" + under + consequence
		default:
			line += pad(label, labels) + "    " + consequence
		}
		fmt.Fprintf(b, "%s\n", line)
		if c.Acknowledge != "" {
			fmt.Fprintf(b, "%sto be acknowledged with the words: %s\n", under, safetext.Escape(c.Acknowledge))
		}
	}
}

func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-safetext.Width(s)))
}

// footer says which question it is and how long it stands.
func footer(q Question) string {
	parts := []string{"question " + safetext.Escape(q.ID), "run " + safetext.Escape(q.Run)}
	if q.Step != "" {
		parts = append(parts, "step "+safetext.Escape(string(q.Step)))
	}
	if q.Attempt != 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", q.Attempt))
	}
	if !q.Deadline.IsZero() {
		parts = append(parts, "no answer by "+showTime(q.Deadline)+" stops the run, and the question waits")
	}
	return strings.Join(parts, " · ")
}

func showTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// teach writes what education mode explains, in columns like the rest.
func teach(b *strings.Builder, t *Teaching) {
	column(b, "situation", shown(t.Situation))
	for _, a := range t.Approaches {
		head := a.Method + ": " + a.Description
		if a.Method == t.Recommended {
			head += " (recommended)"
		}
		b.WriteByte('\n')
		column(b, safetext.Clip(a.Key, 9), shown(head))
		column(b, "  for", shown(a.Pros...))
		column(b, "  against", shown(a.Cons...))
		column(b, "  details", shown(a.Details...))
	}
	if t.Rationale != "" || len(t.More) > 0 {
		b.WriteByte('\n')
	}
	column(b, "advice", shown(t.Rationale))
	column(b, "more", shown(t.More...))
}

// shown are texts as lines that a terminal may get; empty texts have none.
func shown(texts ...string) []string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return evidence(kept)
}
