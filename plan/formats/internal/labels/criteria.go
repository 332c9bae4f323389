package labels

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// Criteria are the items at the top of the last list, and the running text; without
// a list, that is a single criterion.
func Criteria(lines []string) (list []string, prose string) {
	list = []string{}
	top, inside := 0, false
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if c, ok := criterion(trimmed); ok {
			list, inside, top = append(list, c), true, outline.Width(line)
			continue
		}
		it, item := outline.ListItem(line)
		switch {
		case trimmed == "" || i == 0 && !item && trimmed == "[]":
		case item && (!inside || it.Indent < top):
			if !inside {
				list = []string{}
			}
			list, top, inside = append(list, it.Text), it.Indent, true
		case item && it.Indent <= top+1:
			list = append(list, it.Text)
		case inside && outline.Width(line) > top:
			// below an item, or its text going on
		case inside && i > 0 && strings.TrimSpace(lines[i-1]) != "":
			// a lazy line of the item before
		default:
			inside = false
			prose = strings.TrimSpace(prose + "\n" + trimmed)
		}
	}
	return list, prose
}

// criterionTag is one criterion in a tag of its own, closed or not.
var criterionTag = lazyre.New(`^<criteri(?:on|a)(?:\s[^<>]*)?>(.*?)(?:</criteri(?:on|a)>)?$`)

// criterion is the text of a criterion in a tag; false where the line is none.
func criterion(line string) (string, bool) {
	m := criterionTag.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return strings.TrimSpace(m[1]), true
}
