package decidable

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

var (
	// automated is a tag around a command that decides by its status.
	automated = lazyre.New(`(?s)<automated(?:\s[^<>]*)?>(.*?)</automated>`)
	// missing is a word in its place that says that there is none.
	missing = lazyre.New(`^(?i:missing|none|n/a|manual)\b`)
	// asserted is a line that says no more than: this command succeeds.
	asserted = lazyre.New(running + "`([^`]+)`(?:" + passing + remark + `)?\.?$`)
	// claimed is a claim, and behind it the command that decides it.
	claimed = lazyre.New("^(.*?)(?::|\\s[–—-]+)\\s+`([^`]+)`\\.?$")
	// commandWord is how a command begins: with a program, behind variables
	// that are set for it.
	commandWord = lazyre.New(`^(?:! +)?(?:[A-Z_]+=\S+\s+)*(?:\./[\w./-]+|[a-z][a-z0-9_+-]*|\[)(?:\s|$)`)
	// cut is what people put behind a command so that its output is short. It
	// hides how the command ended.
	cut = lazyre.New(`\s*(?:2>&1\s*)?\|\s*(?:tail|head)(?:\s+(?:-n\s*)?-?\d+)?\s*$`)
	// passes is a command whose output is told below it: that all passes.
	passes = lazyre.New("(?m)^[ \\t]*(?:[-*+][ \\t]+)?\\**Run:?\\**:?[ \\t]+`([^`\\n]+)`[^\\n]*\\n(?:[ \\t]*\\n)?[ \\t]*(?:[-*+][ \\t]+)?\\**Expected:?\\**:?[ \\t]+(?i:\\**PASS(?:ES)?\\b|(?:all )?tests? pass|builds? succeeds?|no errors?|exit (?:code )?0)")
	// expected is a line below a command that says how it ends, or what it prints.
	expected = lazyre.New(`^\**(?i:expect(?:ed|s)?(?: (?:output|results?))?)\**:\**\s*(.*)$`)
	// succeeding is such a line that says no more than that it succeeds.
	succeeding = lazyre.New(`^[*"'\x60]*(?i:(?:all )?(?:tests? |checks? )?(?:pass(?:es|ed|ing)?\b|succe(?:eds?|ss)\b)|builds? (?:succeeds?|passes)|no errors?\b|exits? (?:with )?(?:code |status )?0)`)
	// verdict is what they put there to read how it ended.
	verdict = lazyre.New(`\s*&&\s*echo\s+["']?[\w :✓✅-]*["']?\s*\|\|\s*echo\s+["']?[^"'|&;]*["']?\s*$`)
)

// Of finds what a text about verifying asks to be decided: what stands in
// <automated>, in a code block in a shell's language, or on a line that says no
// more than that a command passes, or that a file is there.
func Of(text string) Found {
	var f Found
	if strings.Contains(text, "<automated") {
		for _, m := range automated.FindAllStringSubmatch(text, -1) {
			if c := strings.Trim(strings.TrimSpace(m[1]), "`"); c != "" && !missing.MatchString(c) {
				f.command(c)
			}
		}
		text = automated.ReplaceAllString(text, "")
		if len(f.Checks) > 0 { // what stands around it is said to people
			f.words(text)
			return f
		}
	}
	lines := strings.Split(text, "\n")
	command := false // the last line that is not blank is a command, or the end of a block of them
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		before := len(f.Checks)
		if word, fence := outline.FenceWord(lines[i]); fence {
			var open outline.Fence
			open.Next(lines[i])
			end := i + 1
			for ; end < len(lines); end++ {
				if open.Next(lines[end]); open == (outline.Fence{}) {
					break
				}
			}
			f.block(word, lines[i+1:min(end, len(lines))])
			i = end
		} else if f.line(lines[i]); command && len(f.Checks) == before && !succeeds(lines[i]) {
			f.withdraw()
		}
		command = len(f.Checks) > before && f.Checks[len(f.Checks)-1].Kind == "command"
	}
	return f
}

// succeeds reports whether what stands below a command leaves it to its status
// whether all is well.
func succeeds(line string) bool {
	if it, ok := outline.ListItem(line); ok {
		line = it.Text
	}
	m := expected.FindStringSubmatch(strings.TrimSpace(line))
	return m == nil || succeeding.MatchString(m[1])
}

// withdraw takes the last command back: its status is not what matters.
func (f *Found) withdraw() {
	last := len(f.Checks) - 1
	f.NotRun = append(f.NotRun, f.Checks[last].Run)
	f.Checks = f.Checks[:last]
}

// Passing finds commands in a longer text of which it says that they are to pass:
// "Run: `npm test`", and below it "Expected: PASS".
func Passing(text string) []plan.Check {
	if !strings.Contains(text, "Expected") || len(text) > maxText {
		return nil
	}
	var f Found
	for _, m := range passes.FindAllStringSubmatch(text, -1) {
		f.command(m[1])
	}
	return f.Checks
}

// words keeps the lines of a text that nobody but a reader judges.
func (f *Found) words(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			f.Words = append(f.Words, line)
		}
	}
}

// command adds a command, without what hides how it ended.
func (f *Found) command(run string) {
	lines := strings.Split(run, "\n")
	for i, line := range lines {
		lines[i] = cut.ReplaceAllString(verdict.ReplaceAllString(line, ""), "")
	}
	f.Checks = append(f.Checks, Command(strings.Join(lines, "\n")))
}

// block reads a code block. One in a shell's language is a command.
func (f *Found) block(language string, lines []string) {
	switch language {
	case "bash", "sh", "shell", "zsh", "console":
		if run, decides := script(lines); decides {
			f.command(run)
		} else if run != "" {
			f.NotRun = append(f.NotRun, run)
		}
	}
}

// line reads a line, or an item of a list.
func (f *Found) line(line string) {
	line = strings.TrimSpace(line)
	if it, ok := outline.ListItem(line); ok {
		line = it.Text
	}
	if line == "" {
		return
	}
	if check, ok := fileCheck(line); ok {
		f.Checks = append(f.Checks, check)
		return
	}
	run, ok := commandOf(line)
	if ok {
		f.command(run)
		return
	}
	f.Words = append(f.Words, line)
	if run != "" {
		f.NotRun = append(f.NotRun, line)
	}
}

// commandOf is the command that a line asks to be run, and whether its success
// decides what the line says.
func commandOf(line string) (run string, decides bool) {
	if len(line) > maxLine {
		return "", false
	}
	if !strings.Contains(line, "`") {
		return plainCommand(line)
	}
	if m := asserted.FindStringSubmatch(line); m != nil && isCommand(m[1]) && aside(m[2]) {
		return m[1], true
	}
	if m := claimed.FindStringSubmatch(line); m != nil && known(m[2]) {
		return m[2], !expectation.MatchString(outsideSpans(m[1]))
	}
	for i, part := range strings.Split(line, "`") {
		if i%2 == 1 && known(part) && strings.Contains(part, " ") {
			return part, false
		}
	}
	return "", false
}

// outsideSpans is a text without what stands in backquotes, and without
// negations: "does NOT exist" is a claim, and asks for no output.
func outsideSpans(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			b.WriteString(part + " ")
		}
	}
	return b.String()
}

// isCommand reports whether what stands in backquotes can be a command, and not
// a name.
func isCommand(span string) bool {
	return commandWord.MatchString(span) && strings.Contains(span, " ")
}

// script makes one command of a code block; comments are kept, prompts are
// taken off. A block whose comments say what should be printed does not decide.
func script(lines []string) (run string, decides bool) {
	var kept []string
	real, decides := false, true
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
			decides = false
		}
		real = real || trimmed[0] != '#'
		kept = append(kept, line)
	}
	switch {
	case !real:
		return "", false
	case len(kept) == 1:
		return strings.TrimSpace(kept[0]), decides
	}
	return "set -e\n" + strings.Join(outline.Dedent(kept), "\n"), decides
}
