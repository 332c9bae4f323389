package outline

import "strings"

// Heading returns the level and the text of a heading of the form "## Text", or 0.
func Heading(line string) (level int, text string) {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 {
		return 0, ""
	}
	for level < len(trimmed) && trimmed[level] == '#' {
		level++
	}
	if level == 0 || level > 6 {
		return 0, ""
	}
	rest := trimmed[level:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	text = strings.TrimSpace(rest)
	if closed := strings.TrimRight(text, "#"); closed == "" || closed != text && strings.HasSuffix(closed, " ") {
		text = strings.TrimSpace(closed)
	}
	return level, text
}

// An Item is a line of a list.
type Item struct {
	Indent int    // blanks before the mark, a tab counting as four
	Text   string // behind the mark and the box
	Box    rune   // what stands in the box: ' ', 'x', '-' …; 0: there is none
	Star   bool   // the box has a star behind it
	Number string // of a numbered list, as in "3"
}

// ListItem reads a line as an item of a list, "- text", "* [x] text" or "3.
// text".
func ListItem(line string) (Item, bool) {
	var it Item
	rest := strings.TrimLeft(line, " \t")
	it.Indent = Width(line)
	switch {
	case rest == "":
		return it, false
	case rest[0] == '-' || rest[0] == '*' || rest[0] == '+':
		rest = rest[1:]
	default:
		n := 0
		for n < len(rest) && n < 10 && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 0 || n == len(rest) || rest[n] != '.' && rest[n] != ')' {
			return it, false
		}
		it.Number, rest = rest[:n], rest[n+1:]
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return it, false
	}
	it.Text = strings.TrimSpace(rest)
	it.box()
	return it, true
}

// box takes "[x]" off the text.
func (it *Item) box() {
	text, ok := strings.CutPrefix(it.Text, "[")
	if !ok {
		return
	}
	mark, rest, ok := strings.Cut(text, "]")
	runes := []rune(mark)
	if !ok || len(mark) > 4 || len(runes) > 1 {
		return
	}
	rest, star := strings.CutPrefix(rest, "*")
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return
	}
	it.Box, it.Star, it.Text = ' ', star, strings.TrimSpace(rest)
	if len(runes) == 1 {
		it.Box = runes[0]
	}
}

// Width is the indentation of a line in columns, a tab counting as four.
func Width(line string) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// Dedent takes off the blanks that all lines begin with.
func Dedent(lines []string) []string {
	least := -1
	for _, line := range lines {
		if n := Indent(line); n < len(line) && (least < 0 || n < least) {
			least = n
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line[min(max(least, 0), len(line)):]
	}
	return out
}
