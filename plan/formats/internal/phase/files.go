package phase

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

var (
	// codeSpan is what stands in backquotes, most often a name as it is meant.
	codeSpan = lazyre.New("`([^`]+)`")
	// remark is what people write behind the name of a file, after a dash, a
	// mark of a comment or in parentheses.
	remark = lazyre.New(`\s+(?:[–—]|--?|#|//|=>|→)\s.*$|\s+\(.*\)\s*$`)
	// forerun is what they write before it: "New:", "modify -".
	forerun = lazyre.New(`^(?i:new|create|created|modify|modified|edit|update|delete|remove|test|tests|add|move|rename)\s*(?::|[–—-]\s)\s*`)
	// nothing is a word that says that there is no file.
	nothing = lazyre.New(`^(?i:none|nothing|n/a|na|-|—|–|\[\]|no files?)(?:[\s.,:;()–—-].*)?$`)
	// listSpace joins the last two names of a list: "a.go and b.go".
	listSpace = lazyre.New(`\s+(?:and|&)\s+`)
)

// splitFiles names the files of a field: one to a line or between commas,
// without list marks, backticks and remarks. Nil means that the field holds a
// sentence, which declares nothing; what is there but empty names none, which
// declares that nothing changes.
func splitFiles(lines []string) []string {
	files := []string{}
	prose := false
	for _, line := range lines {
		if it, ok := outline.ListItem(line); ok {
			line = it.Text
		}
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			line = line[1 : len(line)-1]
		}
		for _, part := range splitCommas(line) {
			if len(part) > maxPart || len(files) > maxField {
				prose = true
				continue
			}
			names, ok := fileNames(part)
			files = append(files, names...)
			prose = prose || !ok
		}
	}
	if len(files) == 0 && prose {
		return nil
	}
	return files
}

// fileNames reads one part of a field; false means that it is prose.
func fileNames(part string) ([]string, bool) {
	part = strings.TrimSpace(part)
	if part == "" || part == "```" || nothing.MatchString(part) {
		return nil, true
	}
	if !strings.ContainsAny(part, " \t`\"'*:<") {
		return []string{part}, true
	}
	if inner, ok := strings.CutPrefix(part, "<file>"); ok {
		part = strings.TrimSpace(strings.TrimSuffix(inner, "</file>"))
	}
	if spans := codeSpan.FindAllStringSubmatch(outside(part), -1); spans != nil {
		return spanned(spans), true
	}
	part = forerun.ReplaceAllString(part, "")
	for {
		cut := strings.TrimSpace(remark.ReplaceAllString(part, ""))
		if cut == part {
			break
		}
		part = cut
	}
	part = strings.Trim(part, "\"'`*")
	switch words := len(strings.Fields(part)); {
	case part == "":
		return nil, true
	case words == 1:
		return []string{strings.TrimSuffix(part, ":")}, true
	case words <= 3 && listSpace.MatchString(part):
		return strings.Fields(listSpace.ReplaceAllString(part, " ")), true
	case words <= 3 && strings.ContainsAny(part, "/\\") && strings.Contains(part, "."):
		return []string{part}, true
	}
	return nil, false
}

// outside takes remarks in parentheses off a part that names files in
// backticks, so that a name in a remark is not taken for one of the files.
func outside(part string) string {
	if i := strings.IndexByte(part, '('); i > 0 && strings.Contains(part[:i], "`") &&
		strings.Count(part[:i], "`")%2 == 0 {
		return part[:i]
	}
	return part
}

// spanned keeps the code spans that can be files, without line numbers behind
// them.
func spanned(spans [][]string) []string {
	var names []string
	for i, m := range spans {
		name := strings.TrimSpace(lineNumbers.ReplaceAllString(strings.TrimSpace(m[1]), ""))
		if i == 0 || !strings.Contains(name, " ") && strings.ContainsAny(name, "/.") &&
			!strings.ContainsAny(name, "(){}=;") {
			names = append(names, name)
		}
		if i == 0 && strings.Contains(spans[0][0], " ") {
			break
		}
	}
	return names
}

// lineNumbers stand behind the name of a file: "a.go:12-30, 45".
var lineNumbers = lazyre.New(`:\d+(?:[-–]\d+)?(?:,\s*\d+(?:[-–]\d+)?)*$`)

// splitCommas cuts at commas that are not inside parentheses, brackets, braces
// or backticks.
func splitCommas(text string) []string {
	var parts []string
	depth, code, from := 0, false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '`':
			code = !code
		case code:
		case c == '(' || c == '{' || c == '[':
			depth++
		case c == ')' || c == '}' || c == ']':
			depth = max(0, depth-1)
		case depth == 0 && (c == ',' || c == ';'):
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

// wordBefore is the word before the names of tasks or plans: "Tasks 1 and 2".
var wordBefore = lazyre.New(`^(?i:tasks?|plans?|steps?)\s+`)

// listedNames reads the items of a list of what something depends on. An item
// that names no ids is prose, and is kept as one name with blanks in it.
func listedNames(items []string) []string {
	names := []string{}
	for _, item := range items {
		if it, ok := outline.ListItem(item); ok {
			item = it.Text
		}
		found := splitNames(item)
		if len(items) > 1 && len(found) > 1 && slices.ContainsFunc(found, notAnID) {
			found = []string{strings.Join(strings.Fields(item), " ")}
		}
		names = append(names, found...)
	}
	return names
}

// notAnID reports whether a name among several has no digit, or is a sentence.
func notAnID(name string) bool {
	return strings.Contains(name, " ") || !strings.ContainsAny(name, "0123456789")
}

// splitNames reads the names of what something depends on: [] for none, nil
// where nothing is said. The word before a name, as in "Task 3", is taken off.
func splitNames(text string) []string {
	text = strings.TrimSpace(text)
	if len(text) > maxPart*10 {
		text = text[:maxPart*10]
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	names := []string{}
	if nothing.MatchString(strings.Trim(text, "*_`. ")) {
		return names
	}
	for _, part := range splitCommas(listSpace.ReplaceAllString(text, ",")) {
		if it, ok := outline.ListItem(part); ok {
			part = it.Text
		}
		part = strings.TrimSpace(remark.ReplaceAllString(strings.TrimSpace(part), ""))
		part = strings.Trim(part, "`\"'*_ []")
		if rest := wordBefore.ReplaceAllString(part, ""); !strings.Contains(rest, " ") {
			part = strings.TrimRight(rest, ".:")
		}
		if part != "" {
			names = append(names, part)
		}
	}
	return names
}
