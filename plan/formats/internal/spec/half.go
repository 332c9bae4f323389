package spec

import (
	"strings"
	"unicode"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

// A half is one file of a pair as read on its own, in the same shape for both,
// with what it says and where. What it does not say is nil, or a said that is
// not there.
type half struct {
	side     string // "markdown" or "toml"
	file     *outline.Text
	goals    []said
	restated []said // **Goal:** further down, which is no second goal
	tasks    []*task
	speclets []*speclet
	rest     plan.Plan      // what is neither goal, task nor speclet
	refs     []said         // constraints.x and components.x that the text names
	sections []string       // names of the headings, in small letters
	root     *tomltree.Node // of a TOML file
	faults   []fault
	others   []tomltree.Key // at the top, that are none of this format
	defaults *tomltree.Node // what all steps inherit
	shirks   []shirk
	idleAt   map[idle]int
	unlisted int
	unfit    []unfit
	known    map[string][]string // keys of native plans, by the kind of table
}

const (
	markdownSide = "markdown"
	tomlSide     = "toml"
)

// A fault keeps a file from being read as it is meant.
type fault struct {
	at    int
	text  string
	fatal bool // nothing behind it was read
}

// broken reports whether the half was not read to its end, so that nothing
// follows from what is missing in it.
func (h *half) broken() bool {
	for _, f := range h.faults {
		if f.fatal {
			return true
		}
	}
	return false
}

// said is a text that the source holds, and where.
type said struct {
	text string
	at   int
	ok   bool
}

// say is a text that stands at an offset, without the blanks around it.
func say(text string, at int) said { return said{strings.TrimSpace(text), at, true} }

// or is what was said, else the other.
func (s said) or(other said) said {
	if s.ok && s.text != "" {
		return s
	}
	return other
}

// A flag is a boolean that the source holds; odd is what stands there and is
// none.
type flag struct {
	value *bool
	at    int
	odd   string
}

// A number is a whole number that the source holds; odd is what stands there
// and is none.
type number struct {
	value *int
	at    int
	odd   string
}

// A task is one as a half tells of it, with its own words: what the half does
// not say is empty, also where the other half says it.
type task struct {
	id          string
	short       string // without the speclet that it stands in
	at          int
	level       int  // of its heading
	unnamed     bool // it has no id, and is called by its place
	title       said
	description string
	more        []string // what else the text says of it
	critical    flag     // for all its steps
	mode        said
	retries     number
	balance     *tomltree.Node
	speclet     *speclet
	dependsOn   []string
	research    bool
	sources     []string
	criteria    []string
	steps       []*step
	act         *plan.Task // what is said with keys of native plans; nil in Markdown
	acts        []tomltree.Key
	extra       []plan.Setting
}

// A step is one of a task. Flags, mode and number of retries are those that
// stand at the step itself; [step.flagOf] and its like add what the task says
// for all its steps.
type step struct {
	id          string // within its task
	at          int
	unnamed     bool // it has no id, and is called by its place
	title       said
	method      said // all of it, with what is nested below
	more        []string
	expected    said
	critical    flag
	mode        said
	retries     number
	backups     []*backup
	components  []said
	constraints []said
	act         *plan.Step // what is said with keys of native plans; nil in Markdown
	acts        []tomltree.Key
	extra       []plan.Setting
}

// A backup is another way to do a step.
type backup struct {
	id      string
	at      int
	text    said
	method  said // how it is done, where text only names it
	trigger string
	how     string
	tool    string
	args    []string
	act     plan.Backup // what is said with keys of native plans
	extra   []plan.Setting
}

// A speclet is a group of tasks. In Markdown it may have two headings, an
// overview and its details, which are one speclet here.
type speclet struct {
	id, name string
	title    said
	at       int
	level    int
	depends  []statement // what the text says, once for each heading
	listed   bool        // whether it says which tasks are in it
	tasks    []said
	more     []string // what else the text says of it
	parallel flag
	act      plan.Speclet // what is said with keys of native plans
	extra    []plan.Setting
}

// A statement is one place that says what a speclet depends on.
type statement struct {
	ids []said
	at  int
}

// steps calls f for every step.
func (h *half) steps(f func(*task, *step)) {
	if h == nil {
		return
	}
	for _, t := range h.tasks {
		for _, s := range t.steps {
			f(t, s)
		}
	}
}

// flagOf is what a step says, or else its task.
func (s *step) flagOf(t *task) flag {
	if s.critical.value != nil || s.critical.odd != "" {
		return s.critical
	}
	return t.critical
}

// modeOf is what a step says of its mode, or else its task.
func (s *step) modeOf(t *task) said { return s.mode.or(t.mode) }

// retriesOf is what a step says of how often it may be tried again, or else
// its task. A value that is no number counts as said, so that it is reported
// where it stands.
func (s *step) retriesOf(t *task) number {
	if s.retries.value != nil || s.retries.odd != "" {
		return s.retries
	}
	return t.retries
}

// local takes the task's id off a step's, and a step's off that of a backup: step
// 2.3 of task 2 is its step 3.
func local(of, id string) string { return strings.TrimPrefix(id, of+".") }

// plain is a text as texts are compared: without backticks and bold face, with
// blanks as one, without one final period.
func plain(text string) string {
	return strings.TrimSpace(strings.TrimSuffix(spaced(text), "."))
}

// marks are those of code and of bold face.
var marks = strings.NewReplacer("`", "", "**", "")

// spaced is a text without backticks and bold face, and with runs of blanks as one.
func spaced(text string) string { return strings.Join(strings.Fields(marks.Replace(text)), " ") }

// sameText reports whether two texts are the same for a reader. Both halves
// are written by hand, so backquotes, bold face, runs of blanks and a final period
// make no difference.
func sameText(a, b string) bool { return a == b || plain(a) == plain(b) }

// slug is a title as programs call it: "Data & Storage" is data_storage.
func slug(text string) string { return strings.Join(wordsOf(text), "_") }

// wordsOf are the words of a text in small letters.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
