package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/blocks"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// A label is a line such as "**Expected output:** a report": what it calls
// itself, in small letters, and its value.
type label struct {
	name  string
	value string
	at    int // of the value
}

var plainLabel = lazyre.New(
	`^(?i:(primary[ _]method|backup +\[?[\w.-]+\]?|expected[ _]output|critical(?:[ _]flag)?|mode|max[ _]retries|goal|` +
		`depends[ _]on|dependencies|tasks[ _]included|parallel[ _]allowed)) *: +`)

// labelled reads a line that begins with a label in bold, or with one of those
// that a step has.
func labelled(l blocks.Line) (label, bool) {
	text := unmarked(l.Text)
	skipped := len(l.Text) - len(text)
	if strings.IndexByte(text, ':') < 0 {
		return label{}, false
	}
	if bold, ok := strings.CutPrefix(text, "**"); ok {
		end := strings.IndexByte(bold, '*')
		if end < 1 || !strings.HasPrefix(bold[end:], "**") {
			return label{}, false
		}
		name, inside := strings.CutSuffix(strings.TrimRight(bold[:end], " "), ":")
		value := bold[end+2:]
		if !inside {
			var behind bool
			if value, behind = strings.CutPrefix(strings.TrimLeft(value, " "), ":"); !behind {
				return label{}, false
			}
		}
		value = strings.TrimLeft(value, " \t")
		return label{name: called(name), value: value, at: l.At + len(l.Text) - len(value)}, name != ""
	}
	if m := plainLabel.FindStringSubmatchIndex(text); m != nil {
		return label{name: called(text[m[2]:m[3]]), value: text[m[1]:],
			at: l.At + skipped + m[1]}, true
	}
	return label{}, false
}

// called is the name of a label, which may be spelled as the key of the
// parameters that says the same: depends_on, expected_output.
func called(name string) string { return strings.ToLower(spaced(strings.ReplaceAll(name, "_", " "))) }

// unmarked takes the mark of a list and a box off a line.
func unmarked(text string) string {
	if len(text) > 2 && (text[0] == '-' || text[0] == '*' || text[0] == '+') && text[1] == ' ' {
		text = strings.TrimLeft(text[2:], " ")
	}
	if len(text) > 4 && text[0] == '[' && strings.IndexByte(" xX~-", text[1]) >= 0 && text[2] == ']' && text[3] == ' ' {
		text = strings.TrimLeft(text[4:], " ")
	}
	return text
}

// backupLabel is the label of a backup: "Backup [1]", "backup 2 (manual)".
var backupLabel = lazyre.New(`^backup(?: *\[([^\]]*)\]| +([a-z_-]*\d[\w.-]*))?(?: *\([^)]*\))?$`)

// backupID is the id in "backup [1]", and whether a label is one of a backup.
// One without an id has the next.
func backupID(name string) (string, bool) {
	if !strings.HasPrefix(name, "backup") {
		return "", false
	}
	m := backupLabel.FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return strings.TrimSpace(m[1] + m[2]), true
}

// ident is an id in brackets, or one that has a digit in it.
const ident = `(?:\[([^\]]+)\]|([A-Za-z_-]*\d[\w.-]*))`

var (
	// taskHeading is "Task [1]: T", "Task 1: T" or "Task [1.2]: T".
	taskHeading = lazyre.New(`^Task +` + ident + ` *:\s*(.*)$`)
	// bareTask is a task without a title.
	bareTask = lazyre.New(`^Task +\[([^\]]+)\]$`)
	// stepHeading is a step that is a heading.
	stepHeading = lazyre.New(`^Step +` + ident + ` *:\s*(.*)$`)
	// backupHeading is a backup that is a heading below that of its step.
	backupHeading = lazyre.New(`^Backup +` + ident + ` *:\s*(.*)$`)
	// goalTitle is what the goal stands under, and what further ones do.
	goalTitle = lazyre.New(`^(?i:goals?(?: +\d+)?)[: ]*$`)
	// specletHeading is a SPECLet, with or without a title.
	specletHeading = lazyre.New(`^(?i:speclet) +\[([^\]]+)\] *(?::\s*(.*))?$`)
	// bareSpeclet is a SPECLet whose id has no brackets: it begins as ids do, with a
	// small letter or a digit, and has a title.
	bareSpeclet = lazyre.New(`^(?i:speclet) +([a-z0-9][\w.-]*) *:\s*(\S.*)$`)
	// boldStep is an item "**Step [1]:** T", with or without a checkbox.
	boldStep = lazyre.New(`^(?:\[[ xX~-]\] +)?\*\*Step +` + ident + ` *(?::\s*\*\*|\*\*\s*:)\s*(.*)$`)
	// plainStep is an item "Step 1.1: T".
	plainStep = lazyre.New(`^(?:\[[ xX~-]\] +)?Step +` + ident + ` *:\s*(.*)$`)
)

// entitled takes the id and the title out of a heading or an item of one of the
// forms.
func entitled(text string, forms ...*lazyre.Regexp) (id, title string, ok bool) {
	for _, form := range forms {
		if m := form.FindStringSubmatch(text); m != nil {
			id, title = m[1], ""
			if len(m) > 3 {
				id += m[2]
			}
			if len(m) > 2 {
				title = m[len(m)-1]
			}
			return strings.TrimSpace(id), strings.TrimSpace(title), true
		}
	}
	return "", "", false
}

// flagSuffix is a flag at the end of a title: "(critical)".
var flagSuffix = lazyre.New(`(?i)\s*\((non-critical|not critical|critical)\)\s*$`)

// takeFlag takes "(critical)" or "(non-critical)" off the end of a title.
func takeFlag(title string) (string, *bool) {
	if !strings.HasSuffix(title, ")") {
		return title, nil
	}
	m := flagSuffix.FindStringSubmatchIndex(title)
	if m == nil {
		return title, nil
	}
	yes := strings.EqualFold(title[m[2]:m[3]], "critical")
	return title[:m[0]], &yes
}

// truth reads a boolean that may have a remark behind it: "false (nice to
// have)".
func truth(text string) *bool {
	words := wordsOf(text)
	if len(words) == 0 {
		return nil
	}
	var yes bool
	switch words[0] {
	case "true", "yes":
		yes = true
	case "false", "no":
	default:
		return nil
	}
	return &yes
}

// remark is what stands in parentheses behind a word.
var remark = lazyre.New(`\s*\([^)]*\)`)

// listed reads a list as it stands in a line: `["a", "b"]`, a and b, or None.
func listed(value string) []string {
	value = strings.Trim(strings.TrimSpace(remark.ReplaceAllString(value, "")), "`")
	value = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(value), "["), "]")
	list := []string{}
	for _, part := range strings.Split(strings.ReplaceAll(value, " and ", ","), ",") {
		part = strings.Trim(strings.TrimSpace(part), "`\"' .")
		if m := specletName.FindStringSubmatch(part); m != nil {
			part = strings.TrimSpace(m[1])
		}
		if words := wordsOf(part); len(words) == 0 || words[0] == "none" || words[0] == "n" && len(words) == 2 {
			continue
		}
		list = append(list, part)
	}
	return list
}

// specletTasks is the item of a speclet that lists its tasks without bold face.
var specletTasks = lazyre.New(`^(?i:tasks) *: *(\S.*)$`)

// specletName is how a speclet is called where speclets are listed: SPECLet
// [1], SPECLet 1.
var specletName = lazyre.New(`^(?i:speclet)s? *\[?([^\]]+)\]?$`)

// joined is the text that lines begin with: up to a line that is ended on
// purpose, or the next **Label:**.
func joined(lines []blocks.Line) string {
	if len(lines) == 0 {
		return ""
	}
	return continued(lines[0].Text, lines)
}

// valueOf is the value of the label that lines begin with, which may go on in
// the next.
func valueOf(b label, lines []blocks.Line) string { return continued(b.value, lines) }

// continued is a text with the lines below it that belong to it.
func continued(text string, lines []blocks.Line) string {
	text = strings.TrimSuffix(text, `\`)
	if len(lines) == 1 {
		return strings.TrimSpace(text)
	}
	parts := []string{text}
	for i, l := range lines[1:] {
		if _, ok := labelled(l); ok || lines[i].Hard {
			break
		}
		parts = append(parts, strings.TrimSuffix(l.Text, `\`))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// known reports whether a label is one that a step has, wherever it is nested.
func known(name string) bool {
	switch name {
	case "expected output", "critical", "mode", "max retries":
		return true
	}
	_, ok := backupID(name)
	return ok
}

// nextBackup is the id of a backup that has none written: its number, or the first
// behind it that no other has.
func (s *step) nextBackup() string {
	for n := len(s.backups) + 1; ; n++ {
		id := strconv.Itoa(n)
		if !slices.ContainsFunc(s.backups, func(b *backup) bool { return b.id == id }) {
			return id
		}
	}
}

// field takes in one labelled item of a step: value is its text, whole is all
// of it as written. The label stands at at, its value at valueAt.
func (s *step) field(name, value, whole string, at, valueAt int) {
	if id, ok := backupID(name); ok {
		if id == "" {
			id = s.nextBackup()
		}
		s.backups = append(s.backups, &backup{id: id, at: at, text: say(whole, valueAt)})
		return
	}
	switch name {
	case "primary method", "method":
		if !s.method.ok {
			s.method = say(whole, valueAt)
			return
		}
	case "expected output", "expected outputs":
		if !s.expected.ok && strings.TrimSpace(whole) != "" {
			s.expected = say(whole, valueAt)
			return
		}
	case "critical", "critical flag":
		s.critical = truthAt(value, valueAt)
		return
	case "mode":
		s.mode = say(value, valueAt)
		return
	case "components":
		s.components = keysSaid(value, valueAt)
	case "constraints":
		s.constraints = keysSaid(value, valueAt)
	case "max retries", "retries":
		if i, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
			s.retries = number{value: &i, at: valueAt}
			return
		}
	}
	s.more = append(s.more, strings.ToUpper(name[:1])+name[1:]+": "+whole)
}

// truthAt is what a label says of a flag; what is neither true nor false is odd.
func truthAt(value string, at int) flag {
	f := flag{value: truth(value), at: at}
	if f.value == nil {
		f.odd = value
	}
	return f
}

// aKey is a name that a table of the parameters may have.
var aKey = lazyre.New(`^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$`)

// keysSaid are the keys that a label lists; nil where it says anything else.
func keysSaid(value string, at int) (list []said) {
	for _, name := range listed(value) {
		if !aKey.MatchString(name) {
			return nil
		}
		list = append(list, say(name, at))
	}
	return list
}

// field takes in one labelled line of a task. Flag, mode and retries are for all its
// steps.
func (t *task) field(name, value string, at int) {
	switch name {
	case "critical", "critical flag":
		t.critical = truthAt(value, at)
		return
	case "mode":
		t.mode = say(value, at)
		return
	case "max retries", "retries":
		if i, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
			t.retries = number{value: &i, at: at}
			return
		}
	case "purpose", "description":
		if t.description == "" {
			t.description = value
			return
		}
	case "verification", "expected output", "expected outputs", "acceptance criteria":
		if value != "" {
			t.criteria = append(t.criteria, value)
		}
		return
	case "depends on", "dependencies":
		t.dependsOn = append(t.dependsOn, listed(value)...)
	case "research enabled":
		yes := truth(value)
		t.research = t.research || yes != nil && *yes
	case "research sources":
		t.sources = append(t.sources, listed(value)...)
	}
	if value != "" {
		t.extra = append(t.extra, plan.Setting{Key: spelling.QuoteKey(slug(name)), Value: sketch.Text(value)})
	}
}
