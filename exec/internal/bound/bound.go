// Package bound limits what stands in a journal, whatever a step does: a record
// that is too large could not be written, and then a failure could not be
// recorded.
package bound

import (
	"fmt"
	"strings"
)

const (
	// Lines is how many changes, reasons or findings one record lists.
	Lines = 200
	// Line is how long one reason may be, in bytes.
	Line = 4 << 10
	// Short is how long a line of a report may be that lists many, in bytes.
	Short = 400
	// Output is how much of an attempt's output is kept, in bytes.
	Output = 16 << 10
)

// First are the first n lines, none longer than [Line], and a last one that
// says how many more there are.
func First(lines []string, n int) []string {
	var short []string
	for i, line := range lines {
		if i == n {
			return append(short, fmt.Sprintf("and %d more", len(lines)-n))
		}
		short = append(short, Text(line, Line))
	}
	return short
}

// Text is a text of at most limit bytes; one that was cut ends with an
// ellipsis.
func Text(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// End is the end of a text, of at most limit bytes; one that was cut begins
// with an ellipsis.
func End(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-limit:], "")
}

// FirstLine is a text up to its first line break.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
