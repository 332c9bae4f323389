package tasklist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// maxText is how many bytes of a line are searched for names.
const maxText = 8 << 10

var (
	// bracketMark is a mark behind the id: [P], [US1].
	bracketMark = lazyre.New(`^\[([^\]]{1,20})\]\s*`)
	// storyMark is the mark of a user story.
	storyMark = lazyre.New(`^US\d+$`)
	// dependsOn is a list of ids as sentences have it: "depends on T001,
	// T003-T005 and T007".
	dependsOn = lazyre.New(`(?i)\bdepends\s+on:?\s+((?:\**T[\dX][\w.]*\**(?:\s*[-–]\s*T?\d[\w.]*)?(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*[&+/]\s*)?)+)`)
	// taskRange is two ids that stand for all between them.
	taskRange = lazyre.New(`T((?:\d+\.)?)(\d+)\s*[-–]\s*T?((?:\d+\.)?)(\d+)`)
	// taskName is one id.
	taskName = lazyre.New(`T[\dX][\w.]*`)
	// fileName is a path with a folder and an extension, or such a name in
	// backticks.
	fileName = lazyre.New("(?:^|[\\s(\"'`])((?:[\\w.@-]+/)+[\\w.@-]*\\.[A-Za-z][A-Za-z0-9]{0,7})" +
		"(?:[\\s)\"'`,;:]|\\.?$)" +
		"|`([\\w@-][\\w.@-]*\\.[A-Za-z][A-Za-z0-9]{0,7})`")
)

// readSpecKit reads items with ids like T001, in phases that are headings.
func readSpecKit(r *list) {
	phase := ""
	last := -1
	for i := range r.t.Lines {
		if r.t.Lines[i].Hidden {
			r.code(part{last, -1}, 0, i)
			continue
		}
		line := r.t.Line(i)
		if level, text := outline.Heading(line); level > 0 {
			if level == 2 {
				phase = text
			}
			last, r.wave = -1, ""
			continue
		}
		it, ok := box(line)
		if ok && r.full(r.t.At(i)) {
			return
		}
		switch {
		case !ok:
			r.detail(last, i)
		case specKitID.MatchString(it.Text):
			last = specKitItem(r, i, it, phase)
		case it.Indent >= 2 && last >= 0:
			r.detail(last, i)
			r.irregular(i, "with the text of the task above it", "give it an id of its own, as in  - [ ] T042 text")
		default:
			last = len(r.Plan.Tasks)
			id := fmt.Sprintf("item-%d", i+1)
			r.irregular(i, fmt.Sprintf("as task %q", id), "give it an id, as in  - [ ] T042 text")
			r.addTask(plan.Task{ID: id, Title: it.Text, Status: statusOfBox(it.Box)}, i)
		}
	}
}

// specKitItem adds an item, and returns its index.
func specKitItem(r *list, line int, it outline.Item, phase string) int {
	m := specKitID.FindStringSubmatch(it.Text)
	t := plan.Task{ID: m[1], Status: statusOfBox(it.Box)}
	text, parallel := it.Text[len(m[0]):], false
	for {
		mark := bracketMark.FindStringSubmatch(text)
		if mark == nil {
			break
		}
		switch {
		case mark[1] == "P" || strings.HasPrefix(mark[1], "P]"):
			r.note("parallel", t.ID)
			parallel = true
		case storyMark.MatchString(mark[1]):
			r.note("stories."+mark[1], t.ID)
		default:
			t.Title = text // a bracket of the text
		}
		if t.Title != "" {
			break
		}
		text = text[len(mark[0]):]
	}
	t.Title = strings.TrimSpace(text)
	if parallel { // the mark says that no other task of them changes the same files
		r.beside(&t)
		t.Files = fileNames(t.Title)
	}
	if len(text) <= maxText && strings.Contains(strings.ToLower(text), "depends") {
		if d := dependsOn.FindStringSubmatch(text); d != nil {
			t.DependsOn = taskNames(d[1])
		}
	}
	if phase != "" {
		r.note("phases."+strconv.Quote(phase), t.ID)
	}
	return r.addTask(t, line)
}

// fileNames are the files that a text names; nil: none.
func fileNames(text string) (names []string) {
	for _, m := range fileName.FindAllStringSubmatch(text[:min(len(text), maxText)], -1) {
		if name := m[1] + m[2]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// taskNames are the ids in a list like "T012, T014-T016".
func taskNames(text string) []string {
	text = taskRange.ReplaceAllStringFunc(text, func(s string) string {
		m := taskRange.FindStringSubmatch(s)
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[4])
		if len(m[2]) > 6 || len(m[4]) > 6 || m[3] != "" && m[3] != m[1] || to < from || to-from > 100 {
			return s
		}
		var names []string
		for n := from; n <= to; n++ {
			names = append(names, fmt.Sprintf("T%s%0*d", m[1], len(m[2]), n))
		}
		return strings.Join(names, ", ")
	})
	names := []string{}
	for _, name := range taskName.FindAllString(text, -1) {
		if name = strings.TrimRight(name, "."); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
