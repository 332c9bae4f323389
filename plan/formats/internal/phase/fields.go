package phase

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/wordlist"
)

var (
	// bareLabel is a label alone on its line, whose value stands below:
	// "**Acceptance Criteria**".
	bareLabel = lazyre.New(`^(\s*)(?:[-*+]\s+)?\*\*([A-Z][A-Za-z ]{2,30})\*\*()$`)
	// boldLabel is "**Files:** a.go" or "**Files**: a.go", with or without a
	// list mark.
	boldLabel = lazyre.New(`^(\s*)(?:[-*+]\s+)?\*\*([A-Za-z][^*:]{0,40}?)\s*(?::\*\*|\*\*\s*:)\s*(.*)$`)
	// plainLabel is "files: a.go". So much prose looks like it that only
	// plainKeys count.
	plainLabel = lazyre.New(`^(\s*)(?:[-*+]\s+)?([a-z][a-z_]{2,30}|Files?|Depends [Oo]n|Acceptance(?: [Cc]riteria)?):(?:\s+(.*))?$`)

	// filesLabel is what people call the files of a task: "Files", "Modified
	// files", "Files to create", "Files (modify/create)" and the like.
	filesLabel = lazyre.New(`^files? hints?$|^(?:(?:new|modified|affected|target|changed|output)\s+)?files?(?:\(s\))?(?:\s+(?:to\s+)?(?:modif\w+|creat\w+|delet\w+|remov\w+|chang\w+|edit\w*|add\w*|touch\w*|updat\w+|involved|affected))*(?:\s*(?:/|and|&|,)\s*(?:modif|creat|delet|chang|edit|add|updat)\w*)*$`)
	// acceptanceLabel names what must hold when the task is done, also with
	// words behind it: "Acceptance criteria for the API".
	acceptanceLabel = lazyre.New(`^acceptance(?: (?:criteri(?:a|on)|checklist|tests?))?(?: ?[(:–—-].*| (?:for|of|in|when) .*)?$`)
	// verifyLabel names how one finds out that it does.
	verifyLabel = lazyre.New(`^(?:verif(?:y|ication)(?: by| steps?)?|checkpoint|success criteria|tests?|definition of done)$`)
	// dependsLabel names what comes before.
	dependsLabel = lazyre.New(`^(?:depends(?: upon| on)?|depend(?:ency|encies)|blocked by)$`)
)

// plainKeys are the labels that need no bold face.
var plainKeys = wordlist.List{Text: `files file files_hint depends_on dependencies acceptance acceptance_criteria estimate description
	priority status type wave verify`}

// A field is a label and the lines that belong to it.
type field struct {
	label  string
	indent int
	line   int
	lines  []string // the first is what stands behind the label
}

// label reads a line as "**Label:** text", or as "label: text" where the label
// is known.
func label(line string) (field, bool) {
	bold := strings.Contains(line, "**")
	if !bold && strings.IndexByte(line, ':') < 0 {
		return field{}, false
	}
	var m []string
	if bold {
		if m = boldLabel.FindStringSubmatch(line); m == nil {
			m = bareLabel.FindStringSubmatch(line)
		}
	}
	if m == nil {
		if m = plainLabel.FindStringSubmatch(line); m == nil ||
			!plainKeys.Has(strings.ReplaceAll(strings.ToLower(m[2]), " ", "_")) {
			return field{}, false
		}
	}
	return field{label: strings.ToLower(strings.ReplaceAll(strings.TrimSpace(m[2]), "_", " ")),
		indent: outline.Width(m[1]),
		lines:  []string{m[3]}}, true
}

// fields reads the labels of a task whose lines are given. A field goes on to
// the next label of its indentation or less, to a heading, or to a rule.
// Hidden lines are no labels and no values, but for code below a label that
// asks for it.
func (r *reader) fields(t *task, from, to int) {
	var open *field
	for i := from; i < to && i < len(r.t.Lines); i++ {
		line := r.t.Line(i)
		if r.t.Lines[i].Hidden {
			open.code(line)
			continue
		}
		level, text := outline.Heading(line)
		f, ok := label(line)
		if level > 0 { // "#### Acceptance Criteria" is a label, too
			f, ok = field{label: strings.ToLower(strings.TrimRight(text, ":")), lines: []string{""}}, true
		}
		ok = ok && (open == nil || f.indent <= open.indent || !open.holdsList())
		switch {
		case ok || level > 0 || strings.TrimSpace(line) == "---":
			t.field(open)
			open = nil
			if ok {
				f.line = i
				open = &f
			}
		case open != nil && len(open.lines) < maxField:
			open.lines = append(open.lines, line)
		}
	}
	t.field(open)
}

// code takes a line of a code block, or its mark, into a field: commands, or
// files one to a line right below the label.
func (f *field) code(line string) {
	switch _, fence := outline.FenceWord(line); {
	case f == nil || len(f.lines) >= maxField:
	case verifyLabel.MatchString(f.label):
		f.lines = append(f.lines, line)
	case filesLabel.MatchString(f.label) && !fence && strings.TrimSpace(f.lines[0]) == "":
		f.lines = append(f.lines, line)
	}
}

// holdsList reports whether what is indented below the label belongs to its
// list.
func (f *field) holdsList() bool {
	return acceptanceLabel.MatchString(f.label) || filesLabel.MatchString(f.label)
}

// field puts what a label says where it belongs.
func (t *task) field(f *field) {
	if f == nil {
		return
	}
	text := strings.TrimSpace(f.lines[0])
	switch {
	case filesLabel.MatchString(f.label):
		t.addFiles(splitFiles(valueLines(f)))
	case acceptanceLabel.MatchString(f.label):
		t.addCriteria(criteria(f.lines))
	case dependsLabel.MatchString(f.label):
		t.depends, t.dependsAt = listedNames(valueLines(f)), f.line
	case f.label == "estimate" || f.label == "effort" || f.label == "estimated effort":
		t.estimate = text
	case f.label == "priority":
		t.priority, _, _ = strings.Cut(text, " |")
	case f.label == "status":
		t.status = text
	case f.label == "type":
		t.kind = text
	case f.label == "wave":
		t.wave = value{kind: 's', text: text, line: f.line}
	case f.label == "description" || f.label == "what" || f.label == "action":
		if t.about == "" {
			t.about = text
		}
	case f.label == "expected output" || f.label == "done" || f.label == "done when":
		t.expected = strings.TrimSpace(strings.Join(f.lines, "\n"))
	case verifyLabel.MatchString(f.label):
		t.verified(strings.Join(f.lines, "\n"), f.line)
	}
}

// addCriteria joins what several labels list.
func (t *task) addCriteria(list []string) {
	if t.acceptance == nil {
		t.acceptance = []string{}
	}
	t.acceptance = append(t.acceptance, list...)
}

// addFiles joins what several labels name.
func (t *task) addFiles(files []string) {
	if files == nil {
		return
	}
	if t.files == nil {
		t.files = []string{}
	}
	seen := map[string]bool{}
	for _, f := range t.files {
		seen[f] = true
	}
	for _, f := range files {
		if !seen[f] {
			seen[f] = true
			t.files = append(t.files, f)
		}
	}
}

// valueLines are what stands behind a label, or else the list below it; text
// after the first gap that is no list does not belong to it.
func valueLines(f *field) []string {
	first := strings.TrimSpace(f.lines[0])
	var lines []string
	if first != "" {
		lines = append(lines, first)
	}
	gap := false
	for _, line := range f.lines[1:] {
		it, item := outline.ListItem(line)
		switch {
		case strings.TrimSpace(line) == "":
			gap = true
			continue
		case item && (it.Indent > f.indent || first == ""):
			lines = append(lines, line)
		case gap || item || first != "":
			return lines
		default:
			lines = append(lines, line)
		}
		gap = false
	}
	return lines
}

// criteria counts the items at the top of the last list; without one, running
// text is a single criterion.
func criteria(lines []string) []string {
	list, prose := []string{}, ""
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
	if len(list) == 0 && prose != "" {
		if inner, ok := strings.CutPrefix(prose, "["); ok && strings.HasSuffix(inner, "]") {
			return splitNames(prose)
		}
		return []string{prose}
	}
	return list
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
