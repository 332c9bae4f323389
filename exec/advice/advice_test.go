package advice_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/cause"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// failed is a case of a command that printed output and failed.
func failed(run, output string) advice.Case {
	failure := history.AttemptFailed{Class: history.Crashed, Reasons: []string{"exit status 1"}}
	return advice.Case{
		Kind: advice.Reflection, Point: advice.Execution, Step: &plan.Step{Run: run}, Method: advice.Method{ID: "primary", Run: run},
		Failure: failure, Attempts: []*history.Attempt{{Number: 1, Failure: &failure,
			Said: &history.AttemptEnded{Output: output, Took: time.Minute}}},
	}
}

func TestErrorsAreMined(t *testing.T) {
	for _, tt := range []struct {
		output string
		want   cause.Error
	}{
		{"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", cause.OutOfMemory},
		{"Killed: oom-kill", cause.OutOfMemory},
		{"context deadline exceeded", cause.Timeout},
		{`external: reviewer "validator" gave no answer within 2s`, cause.Timeout},
		{"the job timed out after 7200 s", cause.Timeout},
		{"CLIP-eval: time-out after 2 hours", cause.Timeout},
		{"rpc error: code = DeadlineExceeded", cause.Timeout},
		{"Error: timeout", cause.Timeout},
		{"jsonschema.ValidationError: 'id' is a required property", cause.SchemaMismatch},
		{"schema mismatch: column 3", cause.SchemaMismatch},
		{"KeyError: 'loss'", cause.SchemaMismatch},
		{"ModuleNotFoundError: No module named 'clip'", cause.ImportError},
		{"main.go:3:2: no required module provides package example.com/x", cause.ImportError},
		{"SyntaxError: unexpected token ')'", cause.SyntaxError},
		{"./a.go:7:9: undefined: rate", cause.TypeError},
		{"--- FAIL: TestLimit (0.00s)", cause.TestFailure},
		{"open /etc/shadow: permission denied", cause.NoPermission},
		{"dial tcp 10.0.0.1:443: connect: connection refused", cause.Unreachable},
		{"write out.bin: no space left on device", cause.DiskFull},
		{"open a.txt: no such file or directory", cause.MissingFile},
		{"all is well", cause.Unknown},
	} {
		t.Run(string(tt.want)+"/"+tt.output, func(t *testing.T) {
			c := failed("run", tt.output)
			if got := cause.Of(c.Failure, c.Attempts).Error; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestClassSpeaksWhereNoMessageDoes(t *testing.T) {
	for _, tt := range []struct {
		f    history.AttemptFailed
		want cause.Error
	}{
		{history.AttemptFailed{Class: history.TimedOut}, cause.Timeout},
		{history.AttemptFailed{Class: history.TimedOut, Cause: gate.Resources}, cause.OutOfMemory},
		{history.AttemptFailed{Class: history.TimedOut, Cause: gate.Dependency}, cause.Unreachable},
		{history.AttemptFailed{Class: history.NoSpace}, cause.DiskFull},
		{history.AttemptFailed{Class: history.Breach}, cause.Undeclared},
		{history.AttemptFailed{Class: history.Breach, Findings: []gate.Finding{
			{Code: code.ArtifactMissing}, {Code: code.Postcondition}}}, cause.MissingChange},
		{history.AttemptFailed{Class: history.Breach, Findings: []gate.Finding{
			{Code: code.ArtifactMissing}, {Code: code.ArtifactExtra}}}, cause.Undeclared},
		{history.AttemptFailed{Class: history.GateFailed}, cause.Unmet},
		{history.AttemptFailed{Class: history.GateFailed, Findings: []gate.Finding{
			{Code: code.Postcondition, Message: `file_contains README.md "Reset" does not hold`}}}, cause.Unmet},
		{history.AttemptFailed{Class: history.GateFailed, Findings: []gate.Finding{
			{Code: code.Postcondition, Message: `command "go test ./..." does not hold`}}}, cause.TestFailure},
		{history.AttemptFailed{Class: history.GateFailed, Findings: []gate.Finding{
			{Code: code.Postcondition, Message: `postcondition 1 (command run="./tests.sh") does not hold`}}}, cause.TestFailure},
		{history.AttemptFailed{Class: history.GateFailed, Findings: []gate.Finding{
			{Code: code.Postcondition, Message: `postcondition 1 (command run="grep -q \"two\" tests.txt") does not hold`}}}, cause.Unmet},
		{history.AttemptFailed{Class: history.GateFailed, Findings: []gate.Finding{
			{Code: code.Postcondition, Message: `postcondition 1 (command run="test -s dist/app") does not hold`}}}, cause.Unmet},
		{history.AttemptFailed{Class: history.GateFailed, Findings: []gate.Finding{
			{Code: code.Postcondition, Message: "it does not hold",
				Happened: "src/a.ts(3,7): error TS2304: Cannot find name 'theme'."}}}, cause.TypeError},
		{history.AttemptFailed{Class: history.Crashed}, cause.Unknown},
	} {
		if got := cause.Of(tt.f, nil).Error; got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.f.Class, tt.f.Cause, got, tt.want)
		}
	}
}

// TestPrintedByWhatWentWell is no cause: what a command printed counts where the
// command itself failed.
func TestPrintedByWhatWentWell(t *testing.T) {
	for _, tt := range []struct {
		class history.Class
		exit  int
		want  cause.Error
	}{
		{history.GateFailed, 0, cause.Unmet},
		{history.GateFailed, 1, cause.NoPermission},
		{history.Breach, 0, cause.Undeclared},
		{history.Crashed, 1, cause.NoPermission},
		{history.TimedOut, 0, cause.NoPermission},
	} {
		c := failed("run", "cache: Read-only file system, ignored")
		c.Failure.Class, c.Attempts[0].Said.Exit = tt.class, tt.exit
		if got := cause.Of(c.Failure, c.Attempts).Error; got != tt.want {
			t.Errorf("%s after status %d: got %q, want %q", tt.class, tt.exit, got, tt.want)
		}
	}
}

func TestMoreSignalsMakeSurer(t *testing.T) {
	once := failed("run", "out of memory")
	first := cause.Of(once.Failure, once.Attempts).Sure
	twice := failed("run", "out of memory")
	twice.Attempts = append(twice.Attempts, twice.Attempts[0])
	if again := cause.Of(twice.Failure, twice.Attempts).Sure; again <= first || again >= 1 {
		t.Errorf("seen in two attempts: %v, in one: %v", again, first)
	}
	// The same line once more is no second signal.
	noisy := failed("run", "out of memory\nout of memory\nOut Of Memory\n")
	if same := cause.Of(noisy.Failure, noisy.Attempts).Sure; same != first {
		t.Errorf("repeated line: %v, want %v", same, first)
	}
}

// TestEarlierFindingsAreRead: what a gate found in an earlier attempt is a signal of
// the failure of a later one.
func TestEarlierFindingsAreRead(t *testing.T) {
	c := failed("run", "")
	earlier := &history.AttemptFailed{Class: history.GateFailed,
		Findings: []gate.Finding{{Message: "it does not hold", Happened: "status 1: connection refused"}}}
	c.Attempts = append([]*history.Attempt{{Number: 1, Failure: earlier}}, c.Attempts...)
	c.Attempts[1].Number = 2
	if got := cause.Of(c.Failure, c.Attempts).Error; got != cause.Unreachable {
		t.Errorf("got %q, want %q", got, cause.Unreachable)
	}
}

// TestLinesAreCountedOnce: an executor that repeats what its program printed says no
// more than the program did.
func TestLinesAreCountedOnce(t *testing.T) {
	for output, want := range map[string]string{
		"CUDA out of memory":                   "founded on 1 line in 1 attempt",
		"CUDA out of memory\nKilled: oom-kill": "founded on 2 lines in 1 attempt",
	} {
		c := failed("run", output)
		c.Failure.Reasons = []string{"shell: exit status 1: CUDA out of memory step 3 ended"}
		a, err := advice.Builtin{}.Advise(t.Context(), c)
		if err != nil || !strings.Contains(a.Note, want) {
			t.Errorf("%q: %q, want %q: %v", output, a.Note, want, err)
		}
	}
}

func TestShapeForgetsWhatChanges(t *testing.T) {
	a := cause.Shape("2026-11-20T10:00:00Z worker 17 at 0xc000123456: open /tmp/x1/y: no such file  [deadbeefcafe01]")
	b := cause.Shape("2025-01-02T23:59:59.5Z worker 9 at 0x7f: open /tmp/other: no such file [0123456789abcdef]")
	if a != b {
		t.Errorf("%q and %q differ", a, b)
	}
}

func TestReflectorHalvesWhatTakesMemory(t *testing.T) {
	c := failed("python run.py --batch_size 16 --device cuda", "CUDA out of memory")
	a, err := advice.Builtin{}.Advise(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if a.Confidence < advice.Threshold {
		t.Errorf("confidence %v is below the threshold", a.Confidence)
	}
	m, err := a.Patch.Apply(c.Method)
	if err != nil {
		t.Fatal(err)
	}
	if want := "python run.py --batch_size 8 --device cuda"; m.Run != want {
		t.Errorf("got %q, want %q", m.Run, want)
	}
}

func TestReflectorIsNotSureWithoutAProposal(t *testing.T) {
	for _, c := range []advice.Case{
		failed("python run.py --batch_size 1", "out of memory"), // nothing is left to halve
		failed("go build", "no space left on device"),
		failed("go build", "something"),
	} {
		a, err := advice.Builtin{}.Advise(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if a.Patch != nil || a.Confidence >= advice.Threshold || !strings.HasSuffix(a.Note, ", and no change is known that would mend it") {
			t.Errorf("%q: patch %v with confidence %v", c.Attempts[0].Said.Output, a.Patch, a.Confidence)
		}
	}
}

func TestReflectorTellsAnAgent(t *testing.T) {
	c := failed("", "ModuleNotFoundError: No module named 'clip'")
	c.Method = advice.Method{ID: "primary", Prompt: "write it"}
	a, err := advice.Builtin{}.Advise(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if a.Patch == nil || len(a.Patch.Feedback) != 1 || !strings.Contains(a.Patch.Feedback[0], "clip") {
		t.Errorf("got %+v", a.Patch)
	}
}

// TestReflectorRemembers: what worked before is told to whoever reads it, once,
// and where nothing is known that is more certain.
func TestReflectorRemembers(t *testing.T) {
	memory := advice.Builtin{Memory: map[string][]history.Approach{
		"out of memory": {{Description: "rest", Confidence: 0.5}, {Description: "write less", Confidence: 0.75}}}}
	c := failed("", "out of memory")
	c.Method = advice.Method{ID: "primary", Prompt: "write it"}
	a, err := memory.Advise(t.Context(), c)
	if err != nil || a.Patch == nil || a.Confidence != 0.75 || !a.Remembered() ||
		!strings.Contains(a.Patch.Feedback[0], "write less") {
		t.Fatalf("%+v, %v", a, err)
	}
	c.Earlier = []history.Advised{{Kind: "reflection", Alternatives: a.Alternatives}}
	if a, err = memory.Advise(t.Context(), c); err != nil || !strings.Contains(a.Patch.Summary, "rest") {
		t.Errorf("told once more: %+v, %v", a.Patch, err)
	}
	c.Method = advice.Method{ID: "primary", Run: "write"}
	if a, err = memory.Advise(t.Context(), c); err != nil || a.Patch != nil || a.Remembered() {
		t.Errorf("a command was told: %+v, %v", a, err)
	}
}

func TestRisk(t *testing.T) {
	for _, tt := range []struct{ confidence, severity, cost, risk, priority float64 }{
		{1, 1, 0, 0, 1},
		{0, 1, 1, 1, 0},
		{0, 1, 0, 0.8, 0},
		{1, 1, 1, 0.2, 0.5},
		{0.7, 0, 0, 0, 0.35},
		{2, 2, -1, 0, 1}, // out of range is the end of the range
	} {
		risk, priority := cause.Risk(tt.confidence, tt.severity, tt.cost),
			cause.Priority(tt.confidence, tt.severity, tt.cost)
		if fmt.Sprintf("%.3f %.3f", risk, priority) != fmt.Sprintf("%.3f %.3f", tt.risk, tt.priority) {
			t.Errorf("%+v: got risk %v, priority %v", tt, risk, priority)
		}
	}
}

func TestPatchApply(t *testing.T) {
	text := func(s string) *string { return &s }
	command := advice.Method{ID: "primary", Run: "train --batch-size=16 --out a.json"}
	agent := advice.Method{ID: "primary", Prompt: "write it"}
	for _, tt := range []struct {
		name string
		m    advice.Method
		p    advice.Patch
		want string // run and prompt; "" if it is refused
	}{
		{"nothing", command, advice.Patch{Summary: "x"}, ""},
		{"an argument with =", command, advice.Patch{Args: map[string]string{"batch-size": "8"}}, "train --batch-size=8 --out a.json"},
		{"an argument with a space", command, advice.Patch{Args: map[string]string{"out": "b.json"}}, "train --batch-size=16 --out b.json"},
		{"two arguments", command, advice.Patch{Args: map[string]string{"out": "b", "batch-size": "4"}}, "train --batch-size=4 --out b"},
		{"an argument that is not there", command, advice.Patch{Args: map[string]string{"seed": "1"}}, ""},
		{"a value that a shell reads", command, advice.Patch{Args: map[string]string{"out": "x; rm -rf ."}}, ""},
		{"a value with a substitution", command, advice.Patch{Args: map[string]string{"out": "$(id)"}}, ""},
		{"a name that is a pattern", command, advice.Patch{Args: map[string]string{".*": "x"}}, ""},
		{"another command", command, advice.Patch{Run: text("train --small")}, "train --small"},
		{"a command for an agent", agent, advice.Patch{Run: text("rm -rf .")}, ""},
		{"a prompt for a command", command, advice.Patch{Prompt: text("do it")}, ""},
		{"an empty command", command, advice.Patch{Run: text(" ")}, ""},
		{"another prompt", agent, advice.Patch{Prompt: text("write less")}, "write less"},
		{"feedback alone", agent, advice.Patch{Feedback: []string{"look"}}, "write it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			was := tt.m
			got, err := tt.p.Apply(tt.m)
			var refused *advice.PatchError
			if tt.want == "" {
				if !errors.As(err, &refused) {
					t.Fatalf("got %+v, %v; want a refusal", got, err)
				}
				return
			}
			if err != nil || got.Run+got.Prompt != tt.want {
				t.Errorf("got %+v, %v; want %q", got, err, tt.want)
			}
			if diff := cmp.Diff(was, tt.m); diff != "" {
				t.Errorf("the method itself changed: %s", diff)
			}
		})
	}
}

// FuzzPatchArgument makes sure that an argument never becomes more than one
// word for a shell.
func FuzzPatchArgument(f *testing.F) {
	f.Add("batch-size", "8")
	f.Add("out", "a b")
	f.Add("out", "`id`")
	f.Fuzz(func(t *testing.T, name, value string) {
		m := advice.Method{Run: "train --batch-size 16 --out a"}
		got, err := (&advice.Patch{Args: map[string]string{name: value}}).Apply(m)
		if err != nil {
			return
		}
		if strings.ContainsAny(got.Run, ";|&<>()$`\\\"'\n\r*?[]{}~#!") {
			t.Errorf("%q = %q makes %q", name, value, got.Run)
		}
		if n := len(strings.Fields(got.Run)); n > 5 {
			t.Errorf("%q = %q makes %d words of 5", name, value, n)
		}
	})
}

func opener(files map[string]string) func(string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		text, ok := files[name]
		if !ok {
			return nil, fmt.Errorf("no file %s", name)
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

func TestResearcherReadsWhatIsNamed(t *testing.T) {
	files := map[string]string{
		"server/limit.go": "package server\n\n// Limiter limits clients.\ntype Limiter struct{}\n",
		"README.md":       "# A server\n",
		"binary.dat":      "limiter\x00clients",
	}
	c := advice.Case{
		Kind: advice.Research, Point: advice.Task, Task: &plan.Task{Description: "Tell clients of the limiter when to retry"},
		Step:  &plan.Step{Artifacts: &plan.Artifacts{Modify: []string{"server/limit.go"}}},
		Files: []string{"README.md", "binary.dat", "server/limit.go"}, Open: opener(files),
	}
	a, err := advice.Builtin{}.Advise(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"server/limit.go:3: // Limiter limits clients.", "server/limit.go:4: type Limiter struct{}"}
	if diff := cmp.Diff(want, a.Findings); diff != "" {
		t.Error(diff)
	}
	// clients and limiter of tell, clients, limiter, retry
	if a.Confidence != 0.5 || a.Cost.Calls == 0 {
		t.Errorf("confidence %v, cost %+v", a.Confidence, a.Cost)
	}
	if diff := cmp.Diff([]string{"Tell clients of the limiter when to retry"}, a.Queries); diff != "" {
		t.Error(diff)
	}
}

// The files and folders that a task names as sources are read, whatever they are
// called.
func TestResearcherReadsTheSourcesOfTheTask(t *testing.T) {
	files := map[string]string{"notes.md": "the limiter counts per client\n", "lore/a.txt": "a limiter of clients\n",
		"lore.txt": "poems\n", "x.txt": "poems\n"}
	c := advice.Case{Kind: advice.Research, Point: advice.Task, Files: []string{"lore.txt", "lore/a.txt", "notes.md", "x.txt"},
		Task: &plan.Task{Title: "Write the limiter", ResearchSources: []string{"documentation", "`./notes.md`", "lore/"}},
		Open: opener(files)}
	a, err := (advice.Builtin{}).Advise(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(a.Sources, " "); got != "notes.md lore/a.txt" {
		t.Errorf("read %s", got)
	}
}

// What has the words of a failure is read, whatever it is called: first a file
// that the failure names, then those that have words which few have.
func TestResearcherSearchesTheCode(t *testing.T) {
	files := map[string]string{"src/m1.py": "# nothing\n", "src/widgets.py": "def apply_discount(x): return x\n",
		"a.txt": "a wrong sum\n", "b.txt": "poems\n", "c.bin": "apply_discount\x00"}
	c := advice.Case{Kind: advice.Research, Point: advice.Execution, Step: &plan.Step{Description: "Use apply_discount"},
		Failure: history.AttemptFailed{Class: history.Crashed,
			Reasons: []string{`program: agent reported: "apply_discount gave the wrong sum in src/m1.py"`}},
		Files: []string{"a.txt", "b.txt", "c.bin", "src/m1.py", "src/widgets.py"}, Open: opener(files)}
	a, err := (advice.Builtin{}).Advise(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(a.Sources, " "); got != "src/m1.py src/widgets.py" {
		t.Errorf("read %s", got)
	}
	if !slices.Contains(a.Findings, "src/widgets.py:1: def apply_discount(x): return x") {
		t.Errorf("found %q", a.Findings)
	}
	// Of a step that says nothing the words of the failure are searched for.
	c.Step, c.Failure.Reasons = &plan.Step{Description: "Y"}, []string{"shell: exit status 1: apply_discount gave 3"}
	if a, err = (advice.Builtin{}).Advise(t.Context(), c); err != nil || !slices.Contains(a.Sources, "src/widgets.py") {
		t.Errorf("read %q, %v", a.Sources, err)
	}
	// What was found before is no reason to try once more.
	c.Earlier = []history.Advised{{Kind: string(advice.Research), Findings: a.Findings}}
	if b, err := (advice.Builtin{}).Advise(t.Context(), c); !errors.Is(err, advice.ErrNothing) {
		t.Errorf("found %q again, %v", b.Findings, err)
	}
	c.Earlier = nil
	// So they are of one that says what no file has, but not what is said of every failure.
	c.Step.Description = "Open the gate"
	for reason, found := range map[string]bool{"shell: exit status 1: apply_discount gave 3": true,
		`program: agent reported a failure: "no apply_discount"`: true, "program: apply_discount ended with status 3": false} {
		c.Failure.Reasons = []string{reason}
		if a, err = (advice.Builtin{}).Advise(t.Context(), c); slices.Contains(a.Sources, "src/widgets.py") != found {
			t.Errorf("%s: read %q, %v", reason, a.Sources, err)
		}
	}
}

func TestResearcherReadsFiveFilesAtMost(t *testing.T) {
	files := map[string]string{}
	c := advice.Case{Kind: advice.Research, Task: &plan.Task{Description: "limiter"}, Open: opener(files)}
	for i := range 9 {
		name := fmt.Sprintf("limiter%d.go", i)
		files[name] = "limiter"
		c.Files = append(c.Files, name)
	}
	a, err := advice.Builtin{}.Advise(t.Context(), c)
	if err != nil || len(a.Sources) != 5 {
		t.Errorf("%d sources, %v; want 5", len(a.Sources), err)
	}
}

func TestResearcherHasNothingToSay(t *testing.T) {
	for name, c := range map[string]advice.Case{
		"another kind": {Kind: "prophecy"},
		"no files":     {Kind: advice.Research, Task: &plan.Task{Description: "limiter"}, Open: opener(nil)},
		"no words":     {Kind: advice.Research, Task: &plan.Task{Description: "do it"}, Open: opener(nil)},
		"no workspace": {Kind: advice.Research, Task: &plan.Task{Description: "limiter"}},
	} {
		if _, err := (advice.Builtin{}).Advise(t.Context(), c); !errors.Is(err, advice.ErrNothing) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPivoter(t *testing.T) {
	c := failed("run", "ModuleNotFoundError: No module named 'clip'")
	c.Kind = advice.Pivot
	p := advice.Builtin{Memory: map[string][]history.Approach{
		"import error": {{Description: "use the vendored copy", Confidence: 0.92}},
		"time-out":     {{Description: "wait", Confidence: 1}},
	}}
	a, err := p.Advise(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if a.Note != "use the vendored copy" || len(a.Alternatives) != 2 || a.Alternatives[1].Source != "heuristic" {
		t.Errorf("got %+v", a)
	}
	// What was tried is not proposed again, and in the end nothing is left.
	c.Earlier = append(c.Earlier, history.Advised{Kind: string(advice.Pivot), Note: a.Note})
	next, err := p.Advise(t.Context(), c)
	if err != nil || next.Note == a.Note {
		t.Fatalf("got %+v, %v", next, err)
	}
	c.Earlier = append(c.Earlier, history.Advised{Kind: string(advice.Pivot), Note: next.Note})
	if _, err := p.Advise(t.Context(), c); !errors.Is(err, advice.ErrNothing) {
		t.Errorf("got %v", err)
	}
}

// TestPivoterKnowsWhatCommonlyHelps pins what is proposed where nothing is
// remembered, and how sure that is.
func TestPivoterKnowsWhatCommonlyHelps(t *testing.T) {
	tests := map[string]struct {
		output, says string
		sure         float64
	}{
		"import error": {"ModuleNotFoundError: No module named 'clip'", "missing dependency", 0.8},
		"type error":   {"./a.go:7:9: undefined: rate", "type definitions", 0.7},
		"test failure": {"--- FAIL: TestLimit (0.00s)", "what the test expects", 0.6},
		"rust import":  {"error[E0433]: failed to resolve: use of undeclared crate or module `serde`", "missing dependency", 0.8},
		"java import":  {"A.java:3: error: package org.junit does not exist", "missing dependency", 0.8},
		"ruby import":  {"cannot load such file -- yaml (LoadError)", "missing dependency", 0.8},
		"vite import":  {`Failed to resolve import "x" from "src/a.tsx". Does the file exist?`, "missing dependency", 0.8},
		"rust type":    {"error[E0308]: mismatched types", "type definitions", 0.7},
		"java type":    {"A.java:3: error: cannot find symbol", "type definitions", 0.7},
		"pytest":       {"FAILED tests/test_a.py::test_b - assert 1 == 2", "what the test expects", 0.6},
		"mocha":        {"  1 failing", "what the test expects", 0.6},
		"maven":        {"[ERROR] There are test failures.", "what the test expects", 0.6},
		"junit":        {"There was 1 failure:", "what the test expects", 0.6},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := failed("run", tt.output)
			c.Kind = advice.Pivot
			a, err := advice.Builtin{}.Advise(t.Context(), c)
			if err != nil || !strings.Contains(a.Note, tt.says) || a.Confidence != tt.sure ||
				a.Alternatives[0].Source != "heuristic" {
				t.Errorf("got %q with a confidence of %v, want %q with %v: %v", a.Note, a.Confidence, tt.says,
					tt.sure, err)
			}
		})
	}
}

// TestPivoterReadsWhatChecksPrinted wants the cause seen where the output of a
// check has it, and at the end of a line of many.
func TestPivoterReadsWhatChecksPrinted(t *testing.T) {
	const missing = "ModuleNotFoundError: No module named 'yaml'"
	for name, f := range map[string]history.AttemptFailed{
		"a check": {Class: history.GateFailed, Findings: []gate.Finding{{Message: "the command failed", Happened: missing}}},
		"a test runner": {Class: history.GateFailed, Findings: []gate.Finding{{Message: "the command failed",
			Happened: "# Error: Cannot find module 'left-pad'\nnot ok 1\n# tests 1\n# pass 0\n# fail 1\nFAIL a.test.js\n"}}},
		"the end": {Class: history.Crashed, Reasons: []string{"Traceback: " + strings.Repeat("in handler ü, ", 60) + missing}},
	} {
		a, err := advice.Builtin{}.Advise(t.Context(), advice.Case{Kind: advice.Pivot, Failure: f, Attempts: []*history.Attempt{{Failure: &f}}})
		if err != nil || a.Confidence != 0.8 || !strings.Contains(a.Note, "missing dependency") {
			t.Errorf("%s: got %q with %v: %v", name, a.Note, a.Confidence, err)
		}
	}
}

func TestSequence(t *testing.T) {
	broken := errors.New("broken")
	nothing := advice.Func(func(context.Context, advice.Case) (advice.Advice, error) {
		return advice.Advice{},
			advice.ErrNothing
	})
	bad := advice.Func(func(context.Context, advice.Case) (advice.Advice, error) { return advice.Advice{}, broken })
	good := advice.Func(func(context.Context, advice.Case) (advice.Advice,
		error) {
		return advice.Advice{Advisor: "good"}, nil
	})
	if a, err := advice.Sequence(nothing, bad, good).Advise(t.Context(), advice.Case{}); err != nil || a.Advisor != "good" {
		t.Errorf("got %+v, %v", a, err)
	}
	if _, err := advice.Sequence(nothing, bad).Advise(t.Context(), advice.Case{}); !errors.Is(err, broken) ||
		errors.Is(err, advice.ErrNothing) || err.Error() != "broken" {
		t.Errorf("got %v", err)
	}
	alone := advice.Case{Kind: advice.Pivot, Failure: history.AttemptFailed{Class: history.Lost}}
	const said = "advice: nothing to say: no other approach is known"
	for name, a := range map[string]advice.Advisor{
		"the built-in ones":    advice.Builtin{},
		"the first of several": advice.Sequence(advice.Builtin{}, nothing),
	} {
		if _, err := a.Advise(t.Context(), alone); !errors.Is(err, advice.ErrNothing) || err.Error() != said {
			t.Errorf("%s: got %v, want one line, %q", name, err, said)
		}
	}
	if _, err := (advice.Builtin{}).Advise(t.Context(), advice.Case{Kind: "prophecy"}); !errors.Is(err,
		advice.ErrNothing) {
		t.Errorf("got %v", err)
	}
	if _, err := advice.Sequence().Advise(t.Context(), advice.Case{}); !errors.Is(err, advice.ErrNothing) {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (advice.Builtin{}).Advise(ended, failed("run", "out of memory")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func ExampleBuiltin() {
	failure := history.AttemptFailed{Class: history.Crashed, Reasons: []string{"exit status 137"}}
	c := advice.Case{
		Kind: advice.Reflection, Point: advice.Execution, Failure: failure,
		Method:   advice.Method{ID: "primary", Run: "python train.py --batch_size 32"},
		Attempts: []*history.Attempt{{Number: 1, Failure: &failure, Said: &history.AttemptEnded{Output: "CUDA out of memory"}}},
	}
	a, err := advice.Builtin{}.Advise(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %.2f sure\n", a.RootCause, a.Confidence)
	fmt.Println(a.Patch.Summary)
	patched, _ := a.Patch.Apply(c.Method)
	fmt.Println(patched.Run)
	// Output:
	// out of memory, 0.90 sure
	// less at a time: --batch_size 16 instead of 32
	// python train.py --batch_size 16
}
