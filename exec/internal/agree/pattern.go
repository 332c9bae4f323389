package agree

import (
	"regexp"
	"strings"
)

// A pattern is a place in a document for people, and what the groups of it say:
// the first group that is not about a task or a step comes first. In what they
// are about, $1 is the first group, which names a task or a step.
type pattern struct {
	place *regexp.Regexp
	about []string
}

func at(place string, about ...string) pattern {
	return pattern{regexp.MustCompile("(?m)" + place), about}
}

// read notes what stands in all places of a text.
func (c *claims) read(name, text string, patterns []pattern) {
	for _, p := range patterns {
		for _, m := range p.place.FindAllStringSubmatch(text, -1) {
			groups := m[1:]
			if strings.Contains(p.about[0], "$1") {
				groups = m[2:]
			}
			for i, about := range p.about {
				says := groups[i]
				if about == runStatus {
					says = strings.ReplaceAll(strings.TrimSpace(says), " ", "_")
				}
				c.say(name, strings.ReplaceAll(about, "$1", m[1]), says)
			}
		}
	}
}

// runStatus is what the status of the run is said of; people read spaces in it.
const runStatus = "status of the run"

// Places of documents for people that stand in one line.
var (
	inText = []pattern{
		at(`\A(.*)$`, "goal"),
		at(`^run \S+ · plan \S+ · mode (\w+)$`, "mode"),
		at(`^\d{4}-\d\d-\d\d [0-9:]+ UTC · ([^·\n]*?)(?: ·.*)?$`, "time of the run"),
		at(`^(ACHIEVED|PARTIAL|NOT ACHIEVED|RUNNING|WAITING)  `, runStatus),
	}
	inMarkdown = []pattern{
		at(`\A# (.*)$`, "goal"),
		at(`^\*\*([A-Z ]+)\*\* · `, runStatus),
		at(`^\| Duration \| (.*) \|$`, "time of the run"),
		at(`^\| Mode \| (.*) \|$`, "mode"),
		at("^\\| Tree \\| `(.*)` \\|$", "tree"),
	}
	inJobSummary = []pattern{
		at(`\A## (.*)$`, "goal"),
		at(`^\*\*([A-Z ]+)\*\* · `, runStatus),
		at("^Run `.*` of plan `.*`, tree `(.*)`$", "tree"),
	}
	inSummary = []pattern{
		at(`^outcome: "(.*)"$`, runStatus),
		at(`^tree: "(.*)"$`, "tree"),
		at(`^files_modified_count: (.*)$`, "number of files"),
		at(`^tasks_completed: (.*)$`, "number of tasks_completed"),
		at(`^tasks_failed: (.*)$`, "number of tasks_failed"),
		at(`^tasks_skipped: (.*)$`, "number of tasks_skipped"),
		at(`^tasks_blocked: (.*)$`, "number of tasks_blocked"),
		at(`^- \*\*Status:\*\* (.*)$`, runStatus),
		at(`^- \*\*Basis:\*\* (.*)$`, "bases"),
		at(`^- \*\*Time:\*\* .* \((.*)\)$`, "time of the run"),
		at(`^- \*\*Tasks attempted:\*\* (\d+) of (\d+) \((\d+) completed, (\d+) failed, (\d+) skipped, (\d+) blocked`,
			"tasks attempted", "number of tasks", "number of tasks_completed", "number of tasks_failed",
			"number of tasks_skipped", "number of tasks_blocked"),
		at(`^(\d+) files?,(?: no lines counted|( .*))$`, "number of files", "lines"),
		at("^\\| (\\S+) \\| (.*) \\| ([^|]*) \\| \\d+ gates? \\| `", "task $1: title", "task $1: time"),
	}
	inPage = []pattern{
		at(`<strong class="badge (\w+)">([A-Z ]+)</strong>`, runStatus, runStatus),
		at(`<dt>(?:Took|So far)</dt><dd>([^<]*)</dd>`, "time of the run"),
		at(`<dt>Mode</dt><dd>([^<]*)</dd>`, "mode"),
		at(`<h2 id="files">Files</h2>\s*<p>(\d+) files?([^<]*)</p>`, "number of files", "lines"),
		at(`<h3><b class="sign [a-z]+">.</b> (\S+) .*<small>([a-z_-]+)(?: · [^<]*)?</small></h3>`, "task $1: status"),
		at(`<h3><b class="sign [a-z]+">.</b> (\S+) .*<small>[a-z_-]+ · ([^<]*)</small></h3>`, "task $1: time"),
	}
	inNextSession = []pattern{
		at(`^- \*\*Goal:\*\* (.*)$`, "goal"),
		at(`^- \*\*Progress:\*\* (\d+) of (\d+) steps, (\d+) of (\d+) tasks$`, "number of completed", "number of steps",
			"number of tasks_completed", "number of tasks"),
		at(`^- \*\*Status:\*\* ([A-Z ]+)`, runStatus),
		at(`^- \*\*Mode:\*\* (\w+)$`, "mode"),
		at(`^- \*\*Question (\S+):\*\* `, "question that waits"),
	}
	inSession = []pattern{
		at(`^  input: "(.*)"$`, "goal"),
		at(`^  to: "(.*)"$`, "tree"),
		at(`(\d+) of (\d+) steps are completed\.`, "number of completed", "number of steps"),
	}
	inNotepad = []pattern{
		at("^Run `[^`]+`, begun [^,]+, ([A-Z ]+)\\.$", runStatus),
	}
	inLearnings = []pattern{
		at(`\A# Learnings: (.*)$`, "goal"),
		at("^Run `[^`]+` ended ([A-Z ]+) on", runStatus),
		at(`: (\d+) steps? halted the run, (\d+) steps? (?:was|were) blocked, (\d+) steps? went on`,
			"steps that halted the run", "number of blocked", "steps that went on with a concern"),
		at(`^- critical balance: (\d+) of (\d+) steps$`, "critical steps", "number of steps"),
	}
)
