package phase

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
)

var (
	// goalLabel is a line that states the goal in so many words.
	goalLabel = lazyre.New(`^\s*(?:[-*+]\s+)?\*\*(?i:goal|objective)(?::\*\*|\*\*\s*:)\s*(\S.*)$`)
	// objective is a tag whose text is the goal.
	objective = lazyre.New(`^\s*<objective>\s*(.*?)\s*(?:</objective>)?\s*$`)
	// purposeful is a heading below which the first paragraph is the goal.
	purposeful = lazyre.New(`^(?i:goal|objective|purpose|overview)\b`)
)

// findGoal takes the goal from where a plan states it: an <objective>, a
// label, a section, its title. What stands below the first task is a task's,
// and no goal of the plan.
func (r *reader) findGoal(from int) {
	end := len(r.t.Lines)
	if len(r.tasks) > 0 {
		end = r.tasks[0].line
	}
	for i := from; i < end; i++ {
		line := r.t.Line(i)
		tag, bold := strings.Contains(line, "<objective>"), strings.Contains(line, "**")
		if !tag && !bold || len(line) > 10*maxPart || r.t.Lines[i].Hidden {
			continue
		}
		if m := objective.FindStringSubmatch(line); m != nil {
			if m[1] != "" {
				r.setGoal(i, m[1])
			} else {
				r.paragraph(i + 1)
			}
		} else if m := goalLabel.FindStringSubmatch(line); m != nil {
			r.setGoal(i, m[1])
		}
		if r.goal != "" {
			return
		}
	}
	for _, h := range r.titles {
		if r.goal == "" && h.text != "" && strings.IndexByte("gGoOpP", h.text[0]) >= 0 &&
			purposeful.MatchString(h.text) {
			r.paragraph(h.line + 1)
		}
	}
	if title := r.front.get("title"); r.goal == "" && title.text != "" {
		r.setGoal(title.line, title.text)
	}
	for _, h := range r.titles {
		if r.goal != "" {
			return
		}
		if h.level == 1 && h.text != "" {
			if _, is := taskOf(h); !is {
				r.setGoal(h.line, h.text)
			}
		}
	}
}

// setGoal notes the goal and where it stands.
func (r *reader) setGoal(line int, text string) {
	r.goal, r.goalAt = strings.TrimSpace(strings.ReplaceAll(text, "`", "")), r.t.At(line)
}

// paragraph takes the goal from the first paragraph at or after a line.
func (r *reader) paragraph(i int) {
	for i < len(r.t.Lines) && strings.TrimSpace(r.t.Line(i)) == "" {
		i++
	}
	if i >= len(r.t.Lines) || r.t.Lines[i].Hidden {
		return
	}
	var words []string
	from := i
	for ; i < len(r.t.Lines) && i < from+20; i++ {
		line := strings.TrimSpace(r.t.Line(i))
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "</") {
			break
		}
		words = append(words, line)
	}
	if len(words) > 0 {
		r.setGoal(from, strings.Join(words, " "))
	}
}
