package tasklist

import (
	"strings"

	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// The formats that are read here, each called like the tool that writes it.
const (
	SpecKit     plan.Format = "spec-kit"
	Kiro        plan.Format = "kiro"
	OpenSpec    plan.Format = "openspec"
	TaskMaster  plan.Format = "task-master"
	Beads       plan.Format = "beads"
	ExecPlan    plan.Format = "execplan"
	Superpowers plan.Format = "superpowers"
	Markdown    plan.Format = "markdown" // no tool's: a page with a list or headings
)

// Detect names the tool that writes such a file, or says that it is unknown.
// The name of the file decides only between lists that look alike.
func Detect(name string, text []byte) plan.Format {
	if len(text) > sketch.MaxSize {
		return plan.Unknown
	}
	return formatOf(outline.New(name, text), name)
}

var (
	// specKitID is the id of an item of spec-kit: T042, T042a, or TXXX in a
	// template.
	specKitID = lazyre.New(`^\**(T\d+[A-Za-z]?(?:\.\d+[A-Za-z]?)*|TX{2,})\**:?(?:\s+|$)`)
	// numberedID is the number of an item of Kiro and OpenSpec: "1.", "1.2",
	// "1.2*".
	numberedID = lazyre.New(`^\**(\d+(?:\.\d+)*)(?:([.):])|(\*))?\**(?:\s+|$)`)
	// groupHead is a heading with a number: "1. Setup".
	groupHead = lazyre.New(`^(\d+(?:\.\d+)*)[.):]?\s+(.*)$`)
	// taskHead is a heading of superpowers: "Task 3: Title".
	taskHead = lazyre.New(`^(?:\d+(?:\.\d+)*[.)]?\s+)?(?i:task)\s+(\d[\w.]*)\s*(?::|[–—-]\s)\s*(.*)$`)
	// taskItem is such a task as an item of a numbered list: "1. **Task 1: Title**".
	taskItem = lazyre.New(
		`^\s*\d+[.)]\s+(?:\[.?\]\s+)?\*\*(?i:task)\s+(\d[\w.]*)\s*(?::|[–—-]\s)\s*(.*?)\*\*\s*(.*)$`)
	// stepMark is a step below it: "- [ ] **Step 2: Write the test**".
	stepMark = lazyre.New(
		`^\s*(?:(?:[-*+]|\d+[.)])\s+(?:\[(.?)\]\s+)?)?\*\*Step\s+(\d[\w.]*)\s*(?:[:.–—-]\s*)?(.*?)\*\*\s*(.*)$`)
	// requirement is the line of Kiro that names requirements.
	requirement = lazyre.New(`^\s*[-*+]?\s*_Requirements?:`)
)

// signs are what a Markdown text shows of the tools.
type signs struct {
	boxes, specKit, top, sub, unnumbered int
	requirements, groups, taskHeads      int
	taskItems                            int // tasks that are items of a list
	steps, tags                          int
	sections                             map[string]bool
}

// formatOf weighs the signs. Marks that one tool alone uses decide before the
// name of the file does, and a text that could be two formats is unknown
// rather than guessed, unless its name or folder says more.
func formatOf(t *outline.Text, name string) plan.Format {
	if f := jsonFormat(t); f != plan.Unknown {
		return f
	}
	if c := first(t); c == '{' || c == '[' {
		return plan.Unknown
	}
	s := signsOf(t)
	lower := strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	tasks := strings.HasSuffix(lower, "tasks.md")
	switch {
	case s.tags > 0:
		return plan.Unknown // a phase plan
	case s.specKit > 0 && (s.specKit >= 3 || 2*s.specKit >= s.boxes):
		return SpecKit
	case s.taskHeads+s.taskItems > 0 && s.steps > 0:
		return Superpowers
	case s.sections["progress"] && len(s.sections) >= 4:
		return ExecPlan
	case s.taskHeads > 0 || s.boxes == 0:
		return plan.Unknown
	case s.top+s.sub == 0 && !tasks:
		return plan.Unknown
	case strings.Contains(lower, ".kiro/"):
		return Kiro
	case strings.Contains(lower, "openspec/"):
		return OpenSpec
	case s.top > 0 || s.requirements > 0:
		return Kiro
	case s.sub > 0 || s.groups > 0:
		return OpenSpec
	case tasks:
		return OpenSpec
	}
	return plan.Unknown
}

// first is the first character that is no blank.
func first(t *outline.Text) byte {
	for i := range t.Lines {
		if line := strings.TrimSpace(t.Line(i)); line != "" {
			return line[0]
		}
	}
	return 0
}

// signsOf counts what stands in a text outside of code fences, in one pass.
// Lines are looked at byte by byte before a regular expression is tried on
// them: most lines hold no sign at all.
func signsOf(t *outline.Text) signs {
	s := signs{sections: map[string]bool{}}
	for i := range t.Lines {
		line := t.Line(i)
		if line == "" {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "<task ") {
			s.tags++
		}
		if t.Lines[i].Hidden {
			continue
		}
		if level, text := outline.Heading(line); level > 0 {
			s.heading(level, text)
			continue
		}
		if strings.Contains(line, "**Step") && stepMark.MatchString(line) {
			s.steps++
		}
		if strings.Contains(line, "**Task") && taskItem.MatchString(line) {
			s.taskItems++
		}
		if strings.Contains(line, "_Requirement") && requirement.MatchString(line) {
			s.requirements++
		}
		if it, ok := box(line); ok {
			s.box(it)
		}
	}
	return s
}

// heading counts a heading: of a task, of a numbered group, or of a section
// that an ExecPlan has.
func (s *signs) heading(level int, text string) {
	if text == "" {
		return
	}
	if strings.IndexByte("Tt0123456789", text[0]) >= 0 && taskHead.MatchString(text) {
		s.taskHeads++
	}
	if text[0] >= '0' && text[0] <= '9' {
		s.groups++
	}
	if level == 2 {
		if name := section(text); name != "" {
			s.sections[name] = true
		}
	}
}

// box counts an item with a checkbox by the id that it has.
func (s *signs) box(it outline.Item) {
	s.boxes++
	var m []string
	if it.Text != "" && strings.IndexByte("*0123456789", it.Text[0]) >= 0 {
		m = numberedID.FindStringSubmatch(it.Text)
	}
	switch {
	case m == nil && specKitID.MatchString(it.Text):
		s.specKit++
	case m == nil:
		s.unnumbered++
	case strings.Contains(m[1], "."):
		s.sub++
	case m[2] != "" || it.Text != m[0]:
		s.top++
	}
}

// sections are those of an ExecPlan, by the word that they begin with.
var sections = []string{"purpose", "progress", "surprises", "decision log", "outcomes", "context", "plan of work",
	"concrete steps", "validation", "idempotence", "artifacts", "interfaces", "milestones"}

// section is which of the sections of an ExecPlan a heading opens, or "".
// Headings go on behind the name, as in "Outcomes & Retrospective".
func section(text string) string {
	text = strings.ToLower(text)
	for _, s := range sections {
		if strings.HasPrefix(text, s) {
			return s
		}
	}
	return ""
}

// box reads a line as a checkbox; other characters between brackets are no
// boxes.
func box(line string) (outline.Item, bool) {
	if !strings.Contains(line, "[") {
		return outline.Item{}, false
	}
	it, ok := outline.ListItem(line)
	return it, ok && it.Box != 0 && strings.ContainsRune(" xX-~/✓✔✅", it.Box)
}

// statusOfBox is what a character in a checkbox says.
func statusOfBox(c rune) plan.Status {
	switch c {
	case ' ':
		return plan.Open
	case '-', '~', '/':
		return plan.InProgress
	}
	return plan.Done
}

// jsonFormat looks at a JSON text, or at the first line of JSON Lines.
func jsonFormat(t *outline.Text) plan.Format {
	src := t.Join(0, len(t.Lines))
	if c := first(t); c != '{' {
		return plan.Unknown
	}
	root, end, err := jsontree.Parse(src, 0)
	if err != nil {
		return plan.Unknown
	}
	if isIssue(root) {
		return Beads
	}
	if strings.TrimSpace(src[end:]) != "" {
		return plan.Unknown
	}
	if isTaskMaster(root.Get("tasks")) {
		return TaskMaster
	}
	for tag := range root.Each {
		if isTaskMaster(tag.Get("tasks")) {
			return TaskMaster
		}
	}
	return plan.Unknown
}

// isIssue reports whether an object has what an issue of beads has.
func isIssue(v jsontree.Value) bool {
	return v.Get("id").Kind() == jsontree.String && v.Get("title").OK() && v.Get("status").OK() &&
		(v.Get("issue_type").OK() || v.Get("priority").OK() && v.Get("created_at").OK())
}

// isTaskMaster looks at the first items of a list.
func isTaskMaster(list jsontree.Value) bool {
	if list.Kind() != jsontree.Array {
		return false
	}
	for it := range list.Each {
		return it.Get("id").OK() && it.Get("title").OK() && !it.Get("task_id").OK() &&
			(it.Get("status").OK() || it.Get("dependencies").OK() || it.Get("subtasks").OK() || it.Get("details").OK())
	}
	return false
}
