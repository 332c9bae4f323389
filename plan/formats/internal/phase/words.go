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

// amount is a time as people estimate it: "45 s", "30m", "~1.5 hours", "2d".
var amount = lazyre.New(`^~?(\d{1,4})(?:\.(\d))?\s*(s|secs?|seconds?|m|min|mins|minutes?|h|hrs?|hours?|d|days?)?$`)

// estimateOf reads "1h", "45 min" or a bare number of minutes; 0 for all else.
// Days are of 24 hours, as a bound for a run is meant and not a working day.
func estimateOf(text string) time.Duration {
	m := amount.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1] + "0")
	if m[2] != "" {
		tenth, _ := strconv.Atoi(m[2])
		n += tenth
	}
	unit := time.Minute
	switch {
	case strings.HasPrefix(m[3], "s"):
		unit = time.Second
	case strings.HasPrefix(m[3], "h"):
		unit = time.Hour
	case strings.HasPrefix(m[3], "d"):
		unit = 24 * time.Hour
	}
	return time.Duration(n) * unit / 10
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
