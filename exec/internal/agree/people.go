package agree

import (
	"fmt"
	"html"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
)

// marks are the statuses of steps that stand in one column; a question stands
// for two.
var marks = map[string]string{"✓": "completed", "✗": "failed", "▸": "running", "–": "skipped", "⊘": "blocked",
	"·": "pending"}

// The pieces that lines about steps are made of.
var (
	tally          = lazyre.New(`(\d+) of (\d+) steps?((?: · \d+ (?:carried over|[a-z-]+))+)`)
	tallied        = lazyre.New(`(\d+) ([a-z-]+)`)
	textStep       = lazyre.New(`^ (.) (\S+) +(.*)$`)
	textSize       = lazyre.New(`  (\d+ files?(?: \+\d+)?(?: −\d+)?|undone)? {2,}(?:(\d+(?: of \d+)? gates?) +)?([0-9][^ ]* (?:s|min \d+ s|h \d+ min))(?: |$)`)
	pageStep       = lazyre.New(`(?s)<details id="[^"]*" class="step ([a-z]+)"[^>]*>\s*<summary><b class="sign [a-z]+">(.)</b> <span class="address">([^<]*)</span> <span class="name">[^<]*</span>\s*<span class="meta">([^<]*)</span>`)
	pageKey        = lazyre.New(`<span class="key (completed|failed|running|blocked|skipped|pending)"><b>.</b> (\d+) `)
	size           = lazyre.New(`^\d+ files?`)
	gates          = lazyre.New(`^\d+( of \d+)? gates?$`)
	clock          = lazyre.New(`^\d[^ ]* (s|min \d+ s|h \d+ min)$`)
	bases          = lazyre.New(`^\d+ (proved|reviewed|self-tested|declared|unverified)`)
	changed        = lazyre.New("(?m)^- (created|modified|deleted) `([^`]+)`")
	tasksAttempted = lazyre.New(`Tasks attempted:\*\* (\d+) of`)
	inFolder       = lazyre.New("^### `([^`]+)`")
)

// tally notes what stands in a line as "3 of 4 steps · 1 skipped · 2 retries".
func (c *claims) tally(name, text string) {
	m := tally.FindStringSubmatch(text)
	if m == nil {
		return
	}
	c.say(name, "number of completed", m[1])
	c.say(name, "number of steps", m[2])
	said := map[string]string{"carried": "0", "failed": "0", "skipped": "0", "blocked": "0", "patches": "0"}
	var rest []string
	for _, part := range tallied.FindAllStringSubmatch(m[3], -1) {
		switch key := part[2]; {
		case bases.MatchString(part[0]):
			rest = append(rest, part[0])
		case key == "retry":
			said["retries"] = part[1]
		case key == "patch":
			said["patches"] = part[1]
		case key == "backup", key == "question":
			said[key+"s"] = part[1]
		default:
			said[key] = part[1]
		}
	}
	for key, says := range said {
		c.say(name, "number of "+key, says)
	}
	if len(rest) > 0 {
		c.say(name, "bases", strings.Join(rest, " · "))
	}
}

// readText reads report.txt: the list of steps, the files, and the end.
func readText(c *claims, name, text string) error {
	c.read(name, text, inText)
	_, list, _ := strings.Cut(text, "\n\n")
	list, rest, _ := strings.Cut(list, "\n\n")
	for line := range strings.Lines(list) {
		m := textStep.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		in := "step " + m[2] + ": "
		if status := marks[m[1]]; status != "" {
			c.say(name, in+"status", status)
		}
		if took := textSize.FindStringSubmatch(m[3]); took != nil {
			if m[1] == "✓" && took[1] != "" {
				c.say(name, in+"changes", took[1])
			}
			c.say(name, in+"gates", took[2])
			c.say(name, in+"time", took[3])
		}
	}
	var files []string
	op, ended := "", false
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\n")
		for _, verb := range []string{"created", "modified", "deleted"} {
			if strings.HasPrefix(line, fmt.Sprintf("   %-10s", verb)) {
				op, line = verb, strings.Repeat(" ", 13)+line[13:]
			}
		}
		switch {
		case strings.HasPrefix(line, strings.Repeat(" ", 13)) && op != "":
			for _, f := range strings.Split(strings.TrimSpace(line), ",") {
				if f = strings.TrimSpace(f); f != "" {
					files = append(files, op+" "+f)
				}
			}
			continue
		case ended && bases.MatchString(strings.TrimSpace(line)):
			c.say(name, "bases", strings.TrimSpace(line))
		case ended:
			ended = false
		}
		if op = ""; tally.MatchString(line) {
			c.tally(name, line)
			ended = true
		}
	}
	if !strings.Contains(strings.Join(files, ","), " more") {
		c.files(name, files)
	}
	return nil
}

// rows are the cells of the rows of Markdown tables, with the head that they
// stand below.
func rows(text string, each func(head, cells []string)) {
	var head []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			head = nil
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.ReplaceAll(strings.TrimSpace(cells[i]), `\`, ""), "`")
		}
		switch {
		case strings.HasPrefix(line, "|---"):
		case head == nil:
			head = cells
		default:
			each(head, cells)
		}
	}
}

// changedFiles are the files in the tables of report.md and SUMMARY.md, one for
// each folder.
func changedFiles(text string) []string {
	var files []string
	folder := ""
	for line := range strings.Lines(text) {
		if m := inFolder.FindStringSubmatch(line); m != nil {
			folder = m[1]
			continue
		}
		rows("| File |\n"+line, func(_, cells []string) {
			if len(cells) == 5 && folder != "" && cells[0] != "File" {
				files = append(files, cells[1]+" "+strings.TrimPrefix(folder+"/"+cells[0], "./"))
			}
		})
	}
	return files
}

// readMarkdown reads report.md.
func readMarkdown(c *claims, name, text string) error {
	c.read(name, text, inMarkdown)
	head, _, _ := strings.Cut(text, "\n## ")
	c.tally(name, head)
	c.files(name, changedFiles(text))
	c.steps(name, text)
	rows(text, func(head, cells []string) {
		switch {
		case len(head) == 8 && head[0] == "Task":
			status, _, _ := strings.Cut(cells[1], ":")
			c.say(name, "task "+cells[0]+": status", status)
			c.say(name, "task "+cells[0]+": attempts of its steps", cells[5])
		case len(head) == 3 && head[0] == "Figure":
			c.figure(name, cells)
		}
	})
	return nil
}

// steps notes what tables of steps in Markdown say.
func (c *claims) steps(name, text string) {
	rows(text, func(head, cells []string) {
		if len(head) != 8 || head[1] != "Step" {
			return
		}
		_, status, _ := strings.Cut(cells[0], " ")
		in := "step " + cells[1] + ": "
		c.say(name, in+"status", status)
		c.say(name, in+"basis", cells[5])
		c.say(name, in+"gates", cells[4])
		if status == "completed" && cells[3] != "" {
			c.say(name, in+"changes", cells[3])
		}
		if cells[6] != "" {
			c.say(name, in+"time", cells[6])
		}
	})
}

// figure notes a rate for people; programs have it to three places.
func (c *claims) figure(name string, cells []string) {
	keys := map[string]string{"Tasks completed": "completion_rate", "Evidence found": "evidence_rate",
		"Completed after something was tried anew": "retry_success_rate", "Steps without help": "steps_without_help_rate",
		"Failures recovered from without help": "failure_recovery_rate", "Tests written first": "test_first_rate"}
	key := keys[cells[0]]
	var n, of int
	if _, err := fmt.Sscanf(cells[2], "%d of %d", &n, &of); err != nil {
		c.say(name, "KPI "+key, nil)
		return
	}
	c.say(name, "KPI "+key, rate(n, of))
	switch key {
	case "completion_rate":
		c.say(name, "KPI completed", n)
		c.say(name, "KPI total_tasks", of)
	case "evidence_rate":
		c.say(name, "KPI evidence_verified", n)
		c.say(name, "KPI evidence_required", of)
	case "retry_success_rate":
		c.say(name, "KPI retry_succeeded", n)
		c.say(name, "KPI tasks_tried_anew", of)
	}
}

// readSummary reads SUMMARY.md.
func readSummary(c *claims, name, text string) error {
	c.read(name, text, inSummary)
	c.tally(name, text)
	c.files(name, changedFiles(text))
	completed := 0
	if m := tasksAttempted.FindStringSubmatch(text); m != nil {
		c.say(name, "tasks attempted", m[1])
	}
	rows(text, func(head, cells []string) {
		if len(head) == 4 && len(cells) == 4 && head[3] == "Attempts" {
			c.say(name, "task "+cells[0]+": attempts", cells[3])
		}
		if len(head) > 3 && head[0] == "ID" && head[3] == "Validator" {
			completed++
			c.say(name, "task "+cells[0]+": status", "completed")
		}
	})
	c.say(name+", table", "number of tasks_completed", completed)
	return nil
}

// readPage reads report.html.
func readPage(c *claims, name, text string) error {
	text = html.UnescapeString(text)
	c.read(name, text, inPage)
	c.tally(name, text)
	bar := map[string]string{"completed": "0", "failed": "0", "running": "0", "blocked": "0", "skipped": "0",
		"pending": "0"}
	for _, m := range pageKey.FindAllStringSubmatch(text, -1) {
		bar[m[1]] = m[2]
	}
	for key, says := range bar {
		c.say(name+", bar", "number of "+key, says)
	}
	for _, m := range pageStep.FindAllStringSubmatch(text, -1) {
		in, judged := "step "+m[3]+": ", ""
		c.say(name, in+"status", m[1])
		if status := marks[m[2]]; status != "" {
			c.say(name+", mark", in+"status", status)
		}
		for i, part := range strings.Split(m[4], " · ") {
			switch {
			case i == 0:
				c.say(name+", words", in+"status", part)
			case size.MatchString(part) && m[1] == "completed":
				c.say(name, in+"changes", part)
			case gates.MatchString(part):
				judged = part
			case clock.MatchString(part):
				c.say(name, in+"time", part)
			}
		}
		c.say(name, in+"gates", judged)
	}
	return nil
}

// readNextSession reads next-session.md.
func readNextSession(c *claims, name, text string) error {
	c.read(name, text, inNextSession)
	var files []string
	for _, m := range changed.FindAllStringSubmatch(text, -1) {
		files = append(files, m[1]+" "+m[2])
	}
	c.files(name, files)
	return nil
}

// readSession reads checkpoint.yaml.
func readSession(c *claims, name, text string) error {
	c.read(name, text, inSession)
	return nil
}

// readNotepad reads the notepad: its table, and where the run stands.
func readNotepad(c *claims, name, text string) error {
	c.read(name, text, inNotepad)
	rows(text, func(head, cells []string) {
		if len(head) == 6 && head[1] == "Step" {
			c.say(name, "step "+cells[1]+": status", cells[3])
			c.say(name, "step "+cells[1]+": method", cells[4])
			c.say(name, "step "+cells[1]+": time", cells[5])
		}
	})
	return nil
}

// readLearnings reads what a run taught.
func readLearnings(c *claims, name, text string) error {
	c.read(name, text, inLearnings)
	return nil
}
