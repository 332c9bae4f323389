package method

import "strings"

// exact are the signs of what a shell reads by rules of its own: a text behind a
// command, and quotes within quotes. A command that has one is compared as it stands.
var exact = []string{"<<", "$(", "$'", "`"}

// bare is a command without what a shell passes over: comments, blanks around and
// between words where they are not quoted, and empty lines.
func bare(run string) string {
	for _, sign := range exact {
		if strings.Contains(run, sign) {
			return strings.TrimSpace(run)
		}
	}
	var b strings.Builder
	gap := byte('\n') // that stands before the next character; 0: none
	put := func(c byte) {
		if gap != 0 && b.Len() > 0 {
			b.WriteByte(gap)
		}
		gap = 0
		b.WriteByte(c)
	}
	quote := byte(0)
	for i := 0; i < len(run); i++ {
		switch c := run[i]; {
		case c == '\\' && quote != '\'' && i+1 < len(run):
			put(c)
			i++
			b.WriteByte(run[i])
		case quote != 0 || c == '\'' || c == '"':
			put(c)
			switch quote {
			case 0:
				quote = c
			case c:
				quote = 0
			}
		case c == '\n':
			gap = c
		case c == ' ' || c == '\t':
			if gap == 0 {
				gap = ' '
			}
		case c == '#' && (gap != 0 || strings.ContainsRune(";&|()", rune(run[max(i-1, 0)]))):
			for i+1 < len(run) && run[i+1] != '\n' {
				i++
			}
		default:
			put(c)
		}
	}
	return b.String()
}
