package phase

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/decidable"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// A closing gathers what a plan says must hold when all its tasks are done:
// must_haves of the front matter, and what stands in <verification> and
// <success_criteria>, or below headings of these names.
//
// What a machine can decide is decided at the end of a task of the plan: of the
// last one that names the file or, where none does, of the last of all. So who
// did the work hears of it and has another try. What looks into a file is
// decided once more at the end of the run, as a later plan may have broken it.
type closing struct {
	*builder
	r     *reader
	first int // index of the plan's first task
	last  int // index of the last one that does work; -1: none does
	said  bool
}

// closing adds what the plan of a file must come to; its tasks, which are the
// last that were added, begin with the one of an index.
func (b *builder) closing(r *reader, first int) {
	c := &closing{builder: b, r: r, first: first, last: -1}
	for i := first; i < len(b.Plan.Tasks); i++ {
		if !checkpointKind(b.Plan.Tasks[i].Kind) {
			c.last = i
		}
	}
	must := r.front.get("must_haves")
	if must.kind == 'l' {
		c.criteria(must.texts())
	} else {
		c.criteria(must.get("truths").texts())
		for _, a := range must.get("artifacts").items {
			c.artifact(a)
		}
		for _, l := range must.get("key_links").items {
			c.link(l)
		}
		c.unread("must_haves", must, "truths", "artifacts", "key_links")
	}
	c.sections()
}

// criteria adds to what makes the whole plan complete.
func (c *closing) criteria(list []string) {
	for _, text := range list {
		c.said = true
		if f := decidable.Of(text); len(f.Checks) > 0 && len(f.Words) == 0 {
			for _, check := range f.Checks {
				c.check(check)
			}
			continue
		}
		if !slices.Contains(c.Plan.Completion.AcceptanceCriteria, text) {
			c.Plan.Completion.AcceptanceCriteria = append(c.Plan.Completion.AcceptanceCriteria, text)
		}
	}
}

// check has something decided at the end of the plan, and what can tell more
// than that a file is there once more at the end of the run.
func (c *closing) check(check plan.Check) {
	if check.LooksInside() && check.Kind != "command" || c.last < 0 {
		c.Plan.Completion.Checks = append(c.Plan.Completion.Checks, check)
	}
	if c.last < 0 {
		return
	}
	at := c.last
	for i := c.first; check.Path != "" && i <= c.last; i++ {
		if t := &c.Plan.Tasks[i]; slices.Contains(t.Files, check.Path) && !checkpointKind(t.Kind) {
			at = i
		}
	}
	c.End(at, check)
}

// artifact has a file looked at that the plan leaves behind.
func (c *closing) artifact(a value) {
	name := a.get("path").text
	if a.kind == 's' {
		name = a.text
	}
	name = strings.TrimPrefix(strings.TrimSpace(name), "./")
	if !decidable.IsPath(name) {
		c.undecided(a, fmt.Sprintf("the artifact %q is no path of a file in the workspace", name),
			"write  path: \"src/a.ts\",  relative to the workspace")
		return
	}
	looked := false
	inside := func(check plan.Check) {
		check.Kind, check.Path, looked = "file_contains", name, true
		c.check(check)
	}
	if text := a.get("contains").text; text != "" {
		inside(plan.Check{Text: text})
	}
	for _, symbol := range a.get("exports").list() {
		inside(plan.Check{Matches: `(?:^|[^\w$])` + regexp.QuoteMeta(symbol) + `(?:[^\w$]|$)`})
	}
	if lines := a.get("min_lines"); lines.kind != 0 {
		if n, err := strconv.Atoi(lines.text); err != nil || n < 1 || n > 1000 {
			c.undecided(lines, fmt.Sprintf("min_lines: %s is not looked at", lines.text), "write a number from 1 to 1000")
		} else {
			inside(plan.Check{Matches: fmt.Sprintf(`(?s)\A(?:[^\n]*\n){%d}[^\n]`, n-1)})
		}
	}
	if !looked {
		c.check(plan.Check{Kind: "file_exists", Path: name})
	}
	if a.kind == 'm' {
		c.unread("must_haves.artifacts", a, "path", "provides", "contains", "exports", "min_lines")
	}
}

// link has a file searched for the pattern that shows how it hangs together with
// another.
func (c *closing) link(l value) {
	pattern, from := l.get("pattern"), strings.TrimPrefix(strings.TrimSpace(l.get("from").text), "./")
	switch _, err := regexp.Compile(pattern.text); {
	case l.kind != 'm' || pattern.text == "":
		c.undecided(l, "the link has no pattern, so nobody looks for it",
			`add  pattern: "…",  which is searched for in the file of  from`)
	case err != nil:
		c.undecided(pattern, fmt.Sprintf("the pattern of the link is no regular expression (RE2): %s", pattern.text),
			"mend it, or write  contains: \"…\"  at an artifact")
	case !decidable.IsPath(from):
		c.undecided(l,
			fmt.Sprintf("the pattern %q is searched for nowhere: %q is no path of a file", pattern.text, from),
			"write in  from  the path of the file, relative to the workspace")
	default:
		c.check(plan.Check{Kind: "file_contains", Path: from, Matches: "(?s)" + pattern.text})
	}
	if l.kind == 'm' {
		c.unread("must_haves.key_links", l, "from", "to", "via", "pattern")
	}
}

// undecided warns of something that should hold and that nobody looks at.
func (c *closing) undecided(v value, message, hint string) {
	c.r.report("must-have-undecided", plan.Warning, c.r.t.At(v.line), message, hint)
}

// unread warns of keys of a map that mean nothing.
func (c *closing) unread(table string, v value, known ...string) {
	for _, m := range v.items {
		if v.kind == 'm' && !slices.Contains(known, m.key) {
			c.r.report("key-without-effect", plan.Warning, c.r.t.At(m.line),
				fmt.Sprintf("%s has the key %q, which does nothing", table, m.key), "it has "+strings.Join(known, ", "))
		}
	}
}

var (
	// closingTag is a tag around what must hold, or be there, in the end.
	closingTag = lazyre.New(`^\s*<(verification|success_criteria|output)>\s*$`)
	// closingHead is a heading of the same meaning.
	closingHead = lazyre.New(`^(?i:(?:phase |plan |overall )?(?:success criteria|definition of done|acceptance criteria))$`)
	// quotedName is a name between back quotes.
	quotedName = lazyre.New("`([^`\\s]+)`")
)

// sections reads what stands around the tasks about the end of the plan.
func (c *closing) sections() {
	var spoken []string
	r, next := c.r, 0
	for i := 0; i < len(r.t.Lines); i++ {
		for next < len(r.tasks) && r.tasks[next].end <= i {
			next++
		}
		if next < len(r.tasks) && r.tasks[next].line <= i { // it is a task's
			i = r.tasks[next].end - 1
			continue
		}
		line := r.t.Line(i)
		if m := closingTag.FindStringSubmatch(line); m != nil {
			end := i + 1
			for end < len(r.t.Lines) && strings.TrimSpace(r.t.Line(end)) != "</"+m[1]+">" {
				end++
			}
			switch text := r.t.Join(i+1, end); m[1] {
			case "verification":
				spoken = append(spoken, c.verification(text)...)
			case "output":
				c.output(text)
			default:
				c.criteria(criteria(strings.Split(text, "\n")))
			}
			i = end
		} else if level, text := outline.Heading(line); level > 0 && !r.t.Lines[i].Hidden &&
			closingHead.MatchString(text) {
			end := i + 1
			for end < len(r.t.Lines) && !r.heads(end) {
				end++
			}
			c.criteria(criteria(strings.Split(r.t.Join(i+1, end), "\n")))
			i = end - 1
		}
	}
	if !c.said {
		c.criteria(spoken)
	}
}

// verification has a machine decide what it can of a text, and returns the rest.
func (c *closing) verification(text string) []string {
	f := decidable.Of(text)
	for _, check := range f.Checks {
		c.check(check)
	}
	return f.Words
}

// output lets the last task of a plan that names files leave what the plan asks
// for at its end besides, such as its summary.
func (c *closing) output(text string) {
	if c.last < 0 {
		return
	}
	t := &c.Plan.Tasks[c.last]
	if t.Files == nil && t.PlanFiles == nil {
		return // nothing says what it may change
	}
	t.PlanFiles = slices.Clone(t.PlanFiles) // other tasks have it too
	for _, m := range quotedName.FindAllStringSubmatch(text, -1) {
		if name := strings.TrimPrefix(m[1], "./"); decidable.IsPath(name) {
			t.PlanFiles = append(t.PlanFiles, name)
		}
	}
}

// heads reports whether a line is a heading or a tag, which end a section.
func (r *reader) heads(i int) bool {
	line := r.t.Line(i)
	level, _ := outline.Heading(line)
	return !r.t.Lines[i].Hidden && (level > 0 || strings.HasPrefix(strings.TrimSpace(line), "<"))
}

// checkpointKind reports whether a task of a kind is a question to a person.
func checkpointKind(kind string) bool { return strings.HasPrefix(kind, "checkpoint") }
