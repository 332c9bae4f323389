package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/plan/report"
)

// call runs a command as the shell would, and returns its status and what it
// printed.
func call(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(With{}, args, strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

// inFolder makes a folder of files and goes there.
func inFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

const kitTasks = `# Tasks: notes

- [x] T001 Create store.txt
- [ ] T002 Write search.txt (depends on T001)
`

// Two tasks that wait for each other: an error of the format.
const kitBroken = "# Tasks\n\n- [ ] T001 Write a.txt (depends on T002)\n- [ ] T002 Write b.txt (depends on T001)\n"

func TestCheckJSONOfAForeignPlan(t *testing.T) {
	inFolder(t, map[string]string{"tasks.md": kitTasks})
	status, out, errs := call(t, "check", "--format", "json", "tasks.md")
	var doc struct {
		Schema string
		Plan   struct {
			Format, Profile string
			Digest          *string
			Tasks           []struct {
				ID, Status string
				DependsOn  []string `json:"depends_on"`
				Source     struct {
					File string
					Line int
				}
				Steps []any
			}
			Stages [][]string
		}
		Sides  any
		Counts struct{ Errors int }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || status != 0 {
		t.Fatalf("status %d, %v\n%s%s", status, err, out, errs)
	}
	p := doc.Plan
	if doc.Schema != "planlock.check/1" || p.Format != "spec-kit" || p.Profile != "observe" || p.Digest == nil ||
		doc.Sides != nil || len(p.Tasks) != 2 {
		t.Fatalf("%+v", doc)
	}
	if first := p.Tasks[0]; first.ID != "T001" || first.Status != "done" || first.Source.File != "tasks.md" ||
		first.Source.Line != 3 || first.Steps == nil || len(first.Steps) != 0 {
		t.Errorf("the first task: %+v", first)
	}
	if diff := cmp.Diff([][]string{{"T001"}, {"T002"}}, p.Stages); diff != "" {
		t.Error(diff)
	}
}

func TestCheckStatus(t *testing.T) {
	inFolder(t, map[string]string{"tasks.md": kitTasks, "broken.md": kitBroken, "README.md": "# Read me\n\nText.\n"})
	for name, want := range map[string]int{"tasks.md": 0, "README.md": 4, "none.md": 6} {
		for _, format := range []string{"text", "json", "sarif"} {
			status, out, _ := call(t, "check", "--format", format, name)
			if status != want {
				t.Errorf("check --format %s %s ended with %d, want %d", format, name, status, want)
			}
			if format != "text" && !json.Valid([]byte(out)) {
				t.Errorf("check --format %s %s is no JSON:\n%s", format, name, out)
			}
		}
	}
}

// TestCheckSARIF holds the fields that readers of SARIF need.
func TestCheckSARIF(t *testing.T) {
	inFolder(t, map[string]string{"plan.toml": "schema = 1\ngoal.description = \"ä\"\nprofile = \"observe\"\ntasks = [{ id = 1, title = \"ää\", depends_on = [7] }]\n"})
	_, out, _ := call(t, "check", "--format", "sarif", "plan.toml")
	var doc report.SARIFLog
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Version != "2.1.0" || len(doc.Runs) != 1 || doc.Runs[0].Tool.Driver.Name != "planlock" ||
		len(doc.Runs[0].Results) == 0 {
		t.Fatalf("%s", out)
	}
	r := doc.Runs[0]
	seen := false
	for _, result := range r.Results {
		if result.RuleID != r.Tool.Driver.Rules[result.RuleIndex].ID {
			t.Errorf("rule %d is not %s", result.RuleIndex, result.RuleID)
		}
		if result.Level != "error" && result.Level != "warning" && result.Level != "note" || result.Message.Text == "" {
			t.Errorf("%+v", result)
		}
		if result.RuleID == "task-dep-unknown" {
			seen = true
			at := result.Locations[0]
			if p := at.Physical; p.Artifact.URI != "plan.toml" || p.Region.StartLine != 4 ||
				p.Region.StartColumn != 48 {
				t.Errorf("%+v", p) // in characters, not in bytes
			}
			if at.Logical[0].FullyQualifiedName != "1" {
				t.Errorf("%+v", at.Logical)
			}
		}
	}
	if !seen {
		t.Errorf("no task-dep-unknown:\n%s", out)
	}
}

// TestCheckTextMatches holds the first line of a diagnostic, which problem
// matchers of editors read.
func TestCheckTextMatches(t *testing.T) {
	inFolder(t, map[string]string{"README.md": "# Read me\n"})
	_, out, _ := call(t, "check", "README.md")
	if !strings.HasPrefix(out, "README.md:1:1: error: ") || !strings.Contains(out, " [not-a-plan]\n") ||
		!strings.Contains(out, "\n  hint: ") {
		t.Error(out)
	}
}

const agentScript = `#!/bin/sh
read line
case "$line" in
*'"type":"version"'*) echo '{"type":"version","name":"a","version":"1"}'; exit 0;;
esac
echo x >>search.txt
echo '{"type":"result","ok":true,"output":"done"}'
`

// TestWorkThatIsThere checks, leaves out what is done, runs the rest with a
// program, and prints what changed.
func TestWorkThatIsThere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agent of this test is a shell script")
	}
	inFolder(t, map[string]string{"tasks.md": kitTasks, "store.txt": "x\n"})
	agent := filepath.Join(t.TempDir(), "agent.sh")
	if err := os.WriteFile(agent, []byte(agentScript), 0o755); err != nil {
		t.Fatal(err)
	}
	status, out, errs := call(t, "check", "--dir", ".", "tasks.md")
	if status != 0 || !strings.Contains(out, "its source marks it as done") || !strings.Contains(out, "done:T001.1") {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	_, out, _ = call(t, "check", "--dir", ".", "--format", "json", "tasks.md")
	var doc struct{ Already []alreadyJSON }
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Already) != 1 || doc.Already[0].Acknowledge != "done:T001.1" {
		t.Errorf("%v %+v", err, doc)
	}
	status, out, errs = call(t, "run", "--ack", "done:T001.1", "--executor", agent, "--no-sandbox", "tasks.md")
	if status != 3 { // nobody looked at what it wrote
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	status, out, errs = call(t, "report", "--declarations")
	if status != 0 || !strings.Contains(out, `create = ["search.txt"]`) || strings.Contains(out, "T001") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

func TestRunRefusesProse(t *testing.T) {
	inFolder(t, map[string]string{
		"04-01-PLAN.md": "---\nphase: 04\nplan: 01\n---\n\n# A plan in prose\n\nDo it well.\n"})
	status, out, errs := call(t, "run", ".")
	if status != 4 || !strings.Contains(errs, "no tasks") {
		t.Errorf("run ended with %d\n%s%s", status, out, errs)
	}
	if _, err := os.Stat(".planlock"); err == nil {
		t.Error("something was written")
	}
}

// TestAmbiguousFolder names the plans of a folder that has two.
func TestAmbiguousFolder(t *testing.T) {
	inFolder(t, map[string]string{"tasks.md": kitTasks, "04-01-PLAN.md": "---\nphase: 04\nplan: 01\n---\n<task>\n<name>x</name>\n</task>\n"})
	for _, command := range []string{"check", "graph", "lock", "run"} {
		status, out, errs := call(t, command, ".")
		if status != 6 || !strings.Contains(out+errs, "[plan-ambiguous]") || !strings.Contains(out+errs, "04-01-PLAN.md (phase-plan), tasks.md (spec-kit)") {
			t.Errorf("%s ended with %d\n%s%s", command, status, out, errs)
		}
	}
}

// TestResumeOfAFolder runs a folder of plans until a question waits, and goes
// on.
func TestResumeOfAFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agent of this test is a shell script")
	}
	const head = "---\nphase: 04\nplan: %\n---\n<tasks>\n<task type=\"auto\">\n<name>Write it</name>\n<action>Write.</action>\n</task>\n"
	plans := inFolder(t, map[string]string{"04-01-PLAN.md": strings.ReplaceAll(head, "%", "01"),
		"04-02-PLAN.md": strings.ReplaceAll(head, "%", "02") + "<task type=\"checkpoint:human-verify\" gate=\"blocking\">\n<what-built>It</what-built>\n<how-to-verify>Look.</how-to-verify>\n</task>\n"})
	agent := filepath.Join(t.TempDir(), "agent.sh")
	if err := os.WriteFile(agent, []byte(agentScript), 0o755); err != nil {
		t.Fatal(err)
	}
	work := inFolder(t, nil)
	status, out, errs := call(t, "run", "--answers", "wait", "--executor", agent, "--no-sandbox", plans)
	if status != 5 {
		t.Fatalf("run ended with %d\n%s%s", status, out, errs)
	}
	waiting := regexp.MustCompile(`(?m)planlock answer (\S+) (\S+) (\S+)`).FindStringSubmatch(errs + out)
	if waiting == nil {
		t.Fatalf("no question:\n%s%s", out, errs)
	}
	for range 4 {
		if status != 5 {
			break
		}
		waiting = regexp.MustCompile(`(?m)planlock answer (\S+) (\S+)`).FindStringSubmatch(errs + out)
		if s, out, errs := call(t, "answer", waiting[1], waiting[2], "y"); s != 0 {
			t.Fatalf("answer ended with %d\n%s%s", s, out, errs)
		}
		status, out, errs = call(t, "resume", "--answers", "wait", "--executor", agent)
	}
	if status != 3 { // nobody looked at what it wrote
		t.Errorf("resume in %s ended with %d\n%s%s", work, status, out, errs)
	}
}

// TestConvert writes a task list as a native plan, which holds.
func TestConvert(t *testing.T) {
	inFolder(t, map[string]string{"tasks.md": kitTasks, "README.md": "# Read me\n", "broken.md": kitBroken})
	if status, out, errs := call(t, "convert", "--to", "native", "-o", "plan.toml", "tasks.md"); status != 0 || out != "" {
		t.Fatalf("convert ended with %d\n%s%s", status, out, errs)
	}
	if status, out, errs := call(t, "check", "plan.toml"); status != 0 {
		t.Errorf("check of what was written ended with %d\n%s%s", status, out, errs)
	}
	written, err := os.ReadFile("plan.toml")
	if _, out, _ := call(t, "convert", "tasks.md"); err != nil || out != string(written) {
		t.Error("standard output has another plan than the file")
	}
	for args, want := range map[string]int{"README.md": 4, "none.md": 6, "--to=kiro tasks.md": 2, "broken.md": 4, "--force broken.md": 0} {
		if status, _, _ := call(t, append([]string{"convert"}, strings.Fields(args)...)...); status != want {
			t.Errorf("convert %s ended with %d, want %d", args, status, want)
		}
	}
}
