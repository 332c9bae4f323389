package phase

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

var (
	// automated is a tag around a command that decides by its status.
	automated = lazyre.New(`(?s)<automated>(.*?)</automated>`)
	// missing is a word in its place that says that there is none.
	missing = lazyre.New(`^(?i:missing|none|n/a|manual)\b`)
	// A line that says no more than: this command succeeds.
	asserted = lazyre.New("^(?:(?i:run|execute|verify|check that):?\\s+)?`([^`]+)`" +
		`(?:\s*(?:[–—-]+\s*)?(?i:must |should |to )?(?i:pass(?:es)?|succeeds?|build(?:s)? successfully|compiles?|works|exits (?:with )?(?:code )?0|is green|reports? (?:no|zero|0) errors?|completes?(?: successfully)?)(?:\s+(?i:without errors?|cleanly|with (?:no|zero|0) errors))?)?\.?$`)
	// commandWord is how a command begins: with a program, behind variables
	// that are set for it.
	commandWord = lazyre.New(`^(?:[A-Z_]+=\S+\s+)*(?:\./[\w./-]+|[a-z][a-z0-9_+-]*)(?:\s|$)`)
)

// commands finds what a field about verifying asks to be run, where it says so
// in an unmistakable form: <automated>, a code block in a shell's language, or
// a line that holds one command in backticks and that it passes. What must
// fail, or print something, is left to who reads the prompt: a postcondition
// that is wrong would undo good work.
func commands(text string) []string {
	var found []string
	tags := [][]string(nil)
	if strings.Contains(text, "<automated>") {
		tags = automated.FindAllStringSubmatch(text, -1)
	}
	if tags != nil {
		for _, m := range tags {
			if c := strings.Trim(strings.TrimSpace(m[1]), "`"); c != "" && !missing.MatchString(c) {
				found = append(found, c)
			}
		}
		return found
	}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if word, fence := outline.FenceWord(lines[i]); fence {
			end := i + 1
			for end < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[end]), "```") {
				end++
			}
			if word == "bash" || word == "sh" || word == "shell" || word == "zsh" || word == "console" {
				found = append(found, script(lines[i+1:min(end, len(lines))])...)
			}
			i = end
			continue
		}
		line := strings.TrimSpace(lines[i])
		if it, ok := outline.ListItem(line); ok {
			line = it.Text
		}
		if len(line) > maxPart || strings.IndexByte(line, '`') < 0 {
			continue
		}
		if m := asserted.FindStringSubmatch(line); m != nil && commandWord.MatchString(m[1]) &&
			strings.Contains(m[1], " ") {
			found = append(found, m[1])
		}
	}
	return found
}

// expectation is a word that asks for more than that a command succeeds; its
// status alone does not decide then.
var expectation = lazyre.New(`(?i)\b(?:should|expect\w*|must|returns?|outputs?|prints?|shows?|fails?|zero|none|no match\w*)\b|→|->|=>`)

// script makes one command of a code block; comments are kept, prompts are
// taken off. A block whose comments say what should be printed is left to
// people.
func script(lines []string) []string {
	var kept []string
	real := false
	for _, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		trimmed := strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(trimmed, "$ "); ok {
			trimmed = rest
			line = rest
		}
		if trimmed == "" {
			continue
		}
		if _, said, ok := strings.Cut(" "+trimmed, " #"); ok && expectation.MatchString(said) {
			return nil
		}
		real = real || trimmed[0] != '#'
		kept = append(kept, line)
	}
	if !real {
		return nil
	}
	if len(kept) == 1 {
		return []string{strings.TrimSpace(kept[0])}
	}
	return []string{"set -e\n" + strings.Join(dedent(kept), "\n")}
}

// dedent takes off the blanks that all lines begin with.
func dedent(lines []string) []string {
	least := -1
	for _, line := range lines {
		if n := outline.Indent(line); n < len(line) && (least < 0 || n < least) {
			least = n
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line[min(max(least, 0), len(line)):]
	}
	return out
}
