package exec_test

import (
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// A check that holds by what the step has it run does not prove the step, wherever
// that lies; what else the step wrote of this does no harm.
func TestWhatSteersACheckProvesNothing(t *testing.T) {
	const text = `schema = 1
profile = "observe"
goal.description = "Write a"
ledger.ignore = ["tools/**"]
[[tasks]]
id = 1
description = "Write a"
[[tasks.steps]]
id = 1
description = "Write a"
prompt = "Write a"
postconditions = [{ kind = "command", run = "sh check.sh" }]
`
	files := exectest.Files{"check.sh": ". ./opts.cfg\nsh tools/run \"$want\"\n",
		"opts.cfg": "want=one\n", "tools/run": "grep -q \"$1\" src/a.txt\n"}
	const honest, other = "one\n", "two\n"
	for name, tt := range map[string]struct {
		wrote exec.Func
		basis history.Basis
		own   string
	}{
		"nothing": {exectest.Write("src/a.txt", honest), history.Proved, ""},
		"settings": {exectest.All(exectest.Write("src/a.txt", other), exectest.Write("opts.cfg", "want=two\n")),
			history.SelfTested, "opts.cfg"},
		"settings that do not matter": {exectest.All(exectest.Write("src/a.txt", honest),
			exectest.Write("opts.cfg", "want=one\n# so it is\n")), history.Proved, "opts.cfg"},
		"a program that is ignored": {exectest.All(exectest.Write("src/a.txt", other),
			exectest.Write("tools/run", "grep -q two src/a.txt\n")), history.SelfTested, "tools/run"},
		"a program that is ignored, and does not matter": {exectest.All(exectest.Write("src/a.txt", honest),
			exectest.Write("tools/run", "grep -q one src/a.txt\n"), exectest.Write("tools/more/x", "x\n")),
			history.Proved, "tools/more"},
	} {
		t.Run(name, func(t *testing.T) {
			run := exectest.Run(t, text, files, exectest.Script{"1.1": tt.wrote})
			step := run.Report.Run.Step("1.1")
			if f := run.Failed("1.1"); f != nil {
				t.Fatal(f.Reasons)
			}
			if got, why := run.Report.Run.Standings().Of(step); got != tt.basis {
				t.Errorf("it is %q (%s), want %q", got, why, tt.basis)
			}
			own := ""
			for _, c := range step.Controls() {
				if len(c.Own) > 0 {
					own = c.Own[0]
				}
			}
			if own != tt.own {
				t.Errorf("the first that steers it is %q, want %q", own, tt.own)
			}
			if name == "a program that is ignored" && run.Read(t, "tools/run") != "grep -q two src/a.txt\n" {
				t.Errorf("what the step wrote is not there any more: %q", run.Read(t, "tools/run"))
			}
		})
	}
}
