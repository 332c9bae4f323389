// Package labels reads what a Markdown text says behind labels, as in "**Verify:** `npm test`", "Files: a.go" or a
// heading "Acceptance Criteria": in the tasks of phase plans and below the items of task lists alike.
package labels

import (
	"iter"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/wordlist"
)

// maxLines is how many lines of a field are kept.
const maxLines = 10_000

var (
	// bareLabel is a label alone on its line, whose value stands below:
	// "**Acceptance Criteria**".
	bareLabel = lazyre.New(`^(\s*)(?:[-*+]\s+)?\*\*([A-Z][A-Za-z ]{2,30})\*\*()$`)
	// boldLabel is "**Files:** a.go" or "**Files**: a.go", with or without a
	// list mark.
	boldLabel = lazyre.New(`^(\s*)(?:[-*+]\s+)?\*\*([A-Za-z][^*:]{0,40}?)\s*(?::\*\*|\*\*\s*:)\s*(.*)$`)
	// plainLabel is "files: a.go". So much prose looks like it that only
	// plainKeys count.
	plainLabel = lazyre.New(`^(\s*)(?:[-*+]\s+)?([a-z][a-z_]{2,30}|Files?|Depends [Oo]n|Dependencies|Blocked [Bb]y|Acceptance(?: [Cc]riteria)?|Action|Verif(?:y|ication)(?: [Bb]y| [Ss]teps?)?|Success [Cc]riteria|Definition [Oo]f [Dd]one):(?:\s+(.*))?$`)

	// ids are names of tasks, as in "T1-02, T1-03": "Dependencies:" without bold face is a
	// label where nothing else stands behind it. Mostly it begins a list of libraries.
	ids = lazyre.New(`^` + id + `(?:\s*(?:,|and|&)\s*` + id + `)*\.?$`)

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

const id = `(?:[Tt]ask |[Ss]tep )?#?(?:[A-Z]{1,8}[-_.]?)?\d[\d.-]*[a-z]?`

// plainKeys are the labels that need no bold face.
var plainKeys = wordlist.List{Text: `files file files_hint depends_on dependencies blocked_by acceptance acceptance_criteria estimate description
	priority status type wave verify verify_by verification verification_steps verification_step success_criteria definition_of_done action`}

// A Field is a label and the lines that belong to it.
type Field struct {
	Label string // in small letters, blanks for underlines
	Line  int
	Lines []string // the first is what stands behind the label

	indent int
	marked bool // it is an item of a list
	plain  bool // neither bold nor a heading
	said   bool // a line of it is not blank
	gap    bool // the last line is
}

// Files reports whether a field names files.
func (f *Field) Files() bool { return filesLabel.MatchString(f.Label) }

// Acceptance reports whether a field says what must hold when the work is done.
func (f *Field) Acceptance() bool { return acceptanceLabel.MatchString(f.Label) }

// Verify reports whether a field says how one finds out that it does.
func (f *Field) Verify() bool { return verifyLabel.MatchString(f.Label) }

// Depends reports whether a field names what comes before.
func (f *Field) Depends() bool { return dependsLabel.MatchString(f.Label) }

// Text is all that a field says.
func (f *Field) Text() string { return strings.Join(f.Lines, "\n") }

// label reads a line as "**Label:** text", or as "label: text" where the label
// is known.
func label(line string) (Field, bool) {
	bold := strings.Contains(line, "**")
	if !bold && strings.IndexByte(line, ':') < 0 {
		return Field{}, false
	}
	var m []string
	if bold {
		if m = boldLabel.FindStringSubmatch(line); m == nil {
			m = bareLabel.FindStringSubmatch(line)
		}
	}
	plain := m == nil
	if plain {
		if m = plainLabel.FindStringSubmatch(line); m == nil ||
			!plainKeys.Has(strings.ReplaceAll(strings.ToLower(m[2]), " ", "_")) ||
			(m[2] == "Dependencies" || strings.HasPrefix(m[2], "Blocked")) && !ids.MatchString(strings.TrimSpace(m[3])) {
			return Field{}, false
		}
	}
	_, marked := outline.ListItem(line)
	return Field{Label: strings.ToLower(strings.ReplaceAll(strings.TrimSpace(m[2]), "_", " ")),
		indent: outline.Width(m[1]), marked: marked, plain: plain, said: strings.TrimSpace(m[3]) != "",
		Lines: []string{m[3]}}, true
}

// Span counts from a line up to another, which is not included.
func Span(from, to int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := from; i < to && yield(i); i++ {
		}
	}
}

// Each reads the labels on some lines of a text, in order; where it skips lines,
// they count as blank. A field goes on to the next label of its indentation or
// less, to a heading, or to a rule; see ends for what ends it besides. Hidden
// lines are no labels and no values, but for code below a label that asks for
// it.
func Each(t *outline.Text, lines iter.Seq[int], give func(*Field)) {
	var open *Field
	done := func() {
		if open != nil {
			give(open)
		}
		open = nil
	}
	last := -1
	for i := range lines {
		if i >= len(t.Lines) {
			break
		}
		line := t.Line(i)
		if open != nil {
			open.gap = open.gap || i > last+1
			inside := t.Lines[i].Hidden && i == last+1 && t.Lines[last].Hidden
			if !inside && open.ends(line, t.Lines[i].Hidden) {
				done()
			}
		}
		last = i
		if t.Lines[i].Hidden {
			open.code(line)
			continue
		}
		level, text := outline.Heading(line)
		f, ok := label(line)
		if level > 0 { // "#### Acceptance Criteria" is a label, too
			f, ok = Field{Label: strings.ToLower(strings.TrimRight(text, ":")), Lines: []string{""}}, true
		}
		ok = ok && (open == nil || f.indent <= open.indent || !open.holdsList())
		switch {
		case ok || level > 0 || strings.TrimSpace(line) == "---":
			done()
			if ok {
				f.Line = i
				open = &f
			}
		case open != nil && len(open.Lines) < maxLines:
			open.add(line)
		}
	}
	done()
}

// add takes a line into a field.
func (f *Field) add(line string) {
	f.Lines = append(f.Lines, line)
	blank := strings.TrimSpace(line) == ""
	f.gap, f.said = blank, f.said || !blank
}

// ends reports whether a line is no longer part of a field that says what is to
// hold. The next item of the list that the label is an item of is not; and, below a
// label that is not bold, what comes after a gap and does not go on with the list
// below the label, and a line that begins anew behind what is to be verified. What
// is indented below the label is part of it.
func (f *Field) ends(line string, code bool) bool {
	text := strings.TrimSpace(line)
	if !f.said || text == "" || outline.Width(line) > f.indent || !f.Verify() && !f.Acceptance() {
		return false
	}
	_, item := outline.ListItem(line)
	behind := strings.TrimSpace(f.Lines[0]) != ""
	switch {
	case f.marked && item:
		return true
	case !f.plain:
		return false
	case f.gap:
		return !item || behind
	}
	return behind && f.Verify() && !item && !code && (text[0] < 'a' || text[0] > 'z') &&
		!strings.HasPrefix(strings.ToLower(text), "expect")
}

// code takes a line of a code block, or its mark, into a field: commands, or
// files one to a line right below the label.
func (f *Field) code(line string) {
	switch _, fence := outline.FenceWord(line); {
	case f == nil || len(f.Lines) >= maxLines:
	case f.Verify():
		f.add(line)
		f.gap = false // it is code
	case f.Files() && !fence && strings.TrimSpace(f.Lines[0]) == "":
		f.add(line)
	}
}

// holdsList reports whether what is indented below the label belongs to its
// list.
func (f *Field) holdsList() bool { return f.Acceptance() || f.Files() }

// Value is what stands behind a label, or else the list below it; text
// after the first gap that is no list does not belong to it.
func (f *Field) Value() []string {
	first := strings.TrimSpace(f.Lines[0])
	var lines []string
	if first != "" {
		lines = append(lines, first)
	}
	gap := false
	for _, line := range f.Lines[1:] {
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
