package phase

import (
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// statusOf says how far a task is in the words of a plan; words of another
// meaning stay, so that a conversion can show them. A check mark alone says
// that the task is done.
func statusOf(text string) plan.Status {
	text = strings.TrimSpace(text)
	switch strings.ToLower(strings.Trim(text, "*_` ✅☑✔")) {
	case "":
		if text != "" {
			return plan.Done
		}
		return plan.Open
	case "open", "todo", "to do", "pending", "planned", "not started", "not_started", "ready":
		return plan.Open
	case "in progress", "in-progress", "in_progress", "active", "started", "doing":
		return plan.InProgress
	case "done", "complete", "completed", "closed", "finished":
		return plan.Done
	}
	return plan.Status(text)
}

// amount is a time as people estimate it: "45 s", "30m", "~1.25 hours", "2d".
var amount = lazyre.New(`^~?(\d{1,5}(?:\.\d{1,3})?)\s*(s|secs?|seconds?|m|min|mins|minutes?|h|hrs?|hours?|d|days?)?$`)

// longest is an estimate that still bounds something.
const longest = 10_000 * 24 * time.Hour

// estimateOf reads "1h", "45 min", "1h 30m" or a bare number of minutes; 0 for all
// else.
// Days are of 24 hours, as a bound for a run is meant and not a working day.
func estimateOf(text string) time.Duration {
	text = strings.ToLower(strings.TrimSpace(text))
	m := amount.FindStringSubmatch(text)
	if m == nil {
		several, _ := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
		return bounding(several)
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	unit := time.Minute
	switch {
	case strings.HasPrefix(m[2], "s"):
		unit = time.Second
	case strings.HasPrefix(m[2], "h"):
		unit = time.Hour
	case strings.HasPrefix(m[2], "d"):
		unit = 24 * time.Hour
	}
	return bounding(time.Duration(n * float64(unit)).Round(time.Millisecond))
}

// bounding is a time that bounds something, or 0.
func bounding(d time.Duration) time.Duration {
	if d < 0 || d > longest {
		return 0
	}
	return d
}

// fold spells an id so that 1, 01 and Task 1 agree: in small letters, without
// zeros that lead a number.
func fold(id string) string {
	var b strings.Builder
	lead := true
	for i := 0; i < len(id); i++ {
		c := id[i]
		digit := c >= '0' && c <= '9'
		if c == '0' && lead && i+1 < len(id) && id[i+1] >= '0' && id[i+1] <= '9' {
			continue
		}
		lead = !digit
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// A heading of the file, outside fences.
type heading struct {
	line, level int
	text        string
}

// headings lists the headings of a text from a line on, without those in code
// fences.
func headings(t *outline.Text, from int) []heading {
	var list []heading
	for i, line := range t.Shown(from) {
		if level, text := outline.Heading(line); level > 0 {
			list = append(list, heading{i, level, text})
		}
	}
	return list
}
