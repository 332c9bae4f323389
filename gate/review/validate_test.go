package review_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/gate/review/external"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// askedAbout is the request that a reviewer gets about a pass.
func askedAbout(t *testing.T, pass *gate.Pass) review.Request {
	t.Helper()
	var asked review.Request
	g := review.Work(workFunc(func(_ context.Context, r review.Request) (review.Review, error) {
		asked = r
		return review.Review{Verdict: "fail"}, nil
	}))
	if err := g.Judge(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	return asked
}

// TestValidateRequest: a reviewer of work is told what was to be done, what
// changed, what the executor said and what gates said of it.
func TestValidateRequest(t *testing.T) {
	pass := changing(t)
	pass.RunID, pass.Attempt, pass.Feedback = "01RUN", 2, []string{"not yet"}
	pass.Step.Artifacts = &plan.Artifacts{Create: []string{"new.txt"}}
	pass.Output = &gate.Output{Text: strings.Repeat("x", 32<<10) + "done", Exit: 3}
	holds, breaks := gate.Holds("4 checks hold"), gate.Breaks(gate.Finding{Message: "slow"})
	pass.Judged = gate.Judgements{{Gate: "types", Phase: gate.During, Verdict: &holds},
		{Gate: "speed", Phase: gate.After, Verdict: &breaks}, {Gate: "web", Phase: gate.After, Err: errors.New("gone")}}
	asked := askedAbout(t, pass)
	output := asked.Output.Text
	asked.Output.Text = ""
	text, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"type":"validate","schema":"planlock.validate/1","about":"work","run":"01RUN","goal":"Try a gate",
"task_id":"1","title":"Mend README.md","acceptance_criteria":["it counts"],
"steps":[{"step":"1.1","description":""},{"step":"1.2","description":"Write","expected_artifacts":["new.txt"],
"declared":{"create":["new.txt"],"symbols_add":null,"symbols_remove":null}}],
"retry_attempt":1,"attempt_id":"1.2#2","feedback":["not yet"],"step":"1.2","digest":%q,
"changes":[{"path":"cut.txt","change":"modified","diff":"--- a/cut.txt\n+++ b/cut.txt\n@@ -1,2 +1 @@\n one\n-two\n"},
{"path":"empty.txt","change":"created","diff":"--- /dev/null\n+++ b/empty.txt\n"},
{"path":"gone.txt","change":"deleted","diff":"--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"},
{"path":"mod.txt","change":"modified","diff":"--- a/mod.txt\n+++ b/mod.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"},
{"path":"new.txt","change":"created","diff":"--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\n+\tb c\n"}],
"output":{"left_out":4,"exit":3},
"judged":[{"gate":"types","phase":"during","result":"pass","says":["4 checks hold"]},
{"gate":"speed","phase":"after","result":"fail","says":["speed: slow"]},
{"gate":"web","phase":"after","result":"undecided","says":["gate web could not decide: gone"]}],
"dir":%q}`, pass.After.Digest(), pass.Dir)
	var got, wanted any
	if err := errors.Join(json.Unmarshal(text, &got), json.Unmarshal([]byte(want), &wanted)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(output) != 32<<10 || !strings.HasSuffix(output, "done") {
		t.Errorf("output of %d bytes", len(output))
	}
}

// TestValidateBounds: what is left out of a request is said.
func TestValidateBounds(t *testing.T) {
	files := gatetest.Files{"b/large.bin": strings.Repeat("x\n", 3<<20), "b/long.txt": strings.Repeat("a line\n", 20<<10)}
	for i := range 1001 {
		files[fmt.Sprintf("c/%04d", i)] = ""
	}
	for i := range 20 {
		files[fmt.Sprintf("a/%02d", i)] = strings.Repeat("a line\n", 9<<10)
	}
	pass := changing(t)
	pass.Step.Description = "Write"
	other := gatetest.Pass(t, nil, files)
	pass.After, pass.Content, pass.Comparison = other.After, other.Content, other.Comparison
	asked := askedAbout(t, pass)
	total := 0
	for _, c := range asked.Changes {
		total += len(c.Diff)
		if len(c.Diff) > 64<<10 || c.Diff != "" && !strings.HasSuffix(c.Diff, "\n") {
			t.Errorf("%s: %d bytes of diff, which end in %q", c.Path, len(c.Diff), c.Diff[len(c.Diff)-9:])
		}
		if want := map[string]string{"b/large.bin": "the file is larger than", "b/long.txt": "for which there is no room"}[c.Path]; !strings.Contains(c.LeftOut, want) {
			t.Errorf("%s: %q is left out, want %q", c.Path, c.LeftOut, want)
		}
	}
	if total > 512<<10 || len(asked.Changes) != 1000 || asked.More != len(other.Changes)-1000 {
		t.Errorf("%d bytes of diffs, %d changes, %d more", total, len(asked.Changes), asked.More)
	}
}

// TestAnswerToAnother: an answer about another run, attempt or tree decides
// nothing.
func TestAnswerToAnother(t *testing.T) {
	pass := passOf(t)
	pass.RunID = "01RUN"
	passed := review.Review{Verdict: "pass", Criteria: []review.Criterion{met(1, "a.go:1"), met(2, "a.go:1")}}
	for want, change := range map[string]func(*review.Review){
		"":                           func(r *review.Review) { r.Run, r.Attempt, r.Digest = "01RUN", "1.2#1", pass.After.Digest() },
		`its run is "01SUN"`:         func(r *review.Review) { r.Run = "01SUN" },
		`its attempt_id is "1.2#2"`:  func(r *review.Review) { r.Attempt = "1.2#2" },
		`its digest is "sha256:abc"`: func(r *review.Review) { r.Digest = ledger.Digest("sha256:abc") },
	} {
		said, own := passed, pass.Fresh()
		change(&said)
		err := review.Work(says(said)).Judge(t.Context(), own)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if err != nil && own.Verdict().Review != nil {
			t.Errorf("%v, and what it said counts", err)
		}
	}
}

// program is a reviewer that is a shell script.
func program(t *testing.T, script string) *external.Program {
	t.Helper()
	if _, err := osexec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here")
	}
	return &external.Program{Label: "program", Args: []string{"sh", "-c", script}}
}

const passes = `echo '{"verdict":"pass","criteria":[{"criterion":1,"met":true,"citations":["a.go:1"]},{"criterion":2,"met":true,"citations":["a.go:1"]}]}'`

// TestCrash: a program that crashes is asked again, once.
func TestCrash(t *testing.T) {
	for tries, want := range map[int]string{2: "", 3: "ended with status 3: for now"} {
		pass := passOf(t)
		pass.Runner = gatetest.Local{Dir: pass.Dir}
		count := filepath.Join(t.TempDir(), "count")
		p := program(t, fmt.Sprintf(`echo x >> %s; [ $(grep -c x %[1]s) -ge %d ] || { echo for now; exit 3; }; %s`, count, tries, passes))
		err := review.Work(p).Judge(t.Context(), pass)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d tries: %v, want %q", tries, err, want)
		}
		if text, _ := os.ReadFile(count); string(text) != "x\nx\n" {
			t.Errorf("%d tries: it was started %d times", tries, len(text)/2)
		}
		if v := pass.Verdict(); err == nil && !strings.Contains(v.Evidence[0], "asked again") {
			t.Errorf("evidence %q", v.Evidence)
		}
	}
}

// TestHang: a program that does not answer in its time is stopped, and not
// asked again.
func TestHang(t *testing.T) {
	pass := passOf(t)
	pass.Runner = gatetest.Local{Dir: pass.Dir}
	count := filepath.Join(t.TempDir(), "count")
	p := program(t, "echo x >> "+count+"; sleep 600")
	p.Timeout = time.Second
	err := review.Work(p).Judge(t.Context(), pass)
	if text, _ := os.ReadFile(count); !errors.Is(err, context.DeadlineExceeded) || string(text) != "x\n" {
		t.Errorf("error %v, started %d times", err, len(text)/2)
	}
}

// TestWorkIsBound: the gate is known by the program of its reviewer.
func TestWorkIsBound(t *testing.T) {
	script := filepath.Join(t.TempDir(), "check")
	identity := func(text string, of *external.Program) string {
		if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		id, err := review.Work(of).(gate.Identified).Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	p := &external.Program{Label: "check", Args: []string{script}}
	if was := identity("#!/bin/sh\n", p); was == "" || was != identity("#!/bin/sh\n", p) ||
		was == identity("#!/bin/sh\n# edited\n", p) {
		t.Errorf("identity %q", was)
	}
	if identity("", &external.Program{Label: "check", Run: "a"}) == identity("", &external.Program{Label: "check", Run: "b"}) {
		t.Error("two commands have one identity")
	}
	if id := identity("", &external.Program{Label: "check", Run: "a"}); id == "" {
		t.Error("a command has no identity")
	}
}

// TestDocumentedPrograms runs the programs that docs/validator-protocol.md
// shows.
func TestDocumentedPrograms(t *testing.T) {
	page, err := os.ReadFile("../../docs/validator-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	for language, interpreter := range map[string]string{"python": "python3", "sh": "sh"} {
		for content, want := range map[string]gate.Result{"a\nb `\n": gate.Passed, "b\na\n": gate.Fail} {
			t.Run(language+" "+string(want), func(t *testing.T) {
				path, err := osexec.LookPath(interpreter)
				if err != nil {
					t.Skip(err)
				}
				_, text, _ := strings.Cut(string(page), "```"+language+"\n")
				text, _, found := strings.Cut(text, "```\n")
				if !found {
					t.Fatal("the page shows no such program")
				}
				script := filepath.Join(t.TempDir(), "check")
				if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
				pass := gatetest.Pass(t, gatetest.Files{"words.txt": "b `\n"}, gatetest.Files{"words.txt": content})
				pass.Phase, pass.Runner = gate.Reviewing, gatetest.Local{Dir: pass.Dir}
				pass.Task.AcceptanceCriteria = []string{"it has `a`"}
				if content == "b\na\n" && language == "python" {
					pass.Task.AcceptanceCriteria = []string{"it has `c`"}
				}
				g := review.Work(&external.Program{Label: "check", Args: []string{path, script}})
				if err := g.Judge(t.Context(), pass); err != nil {
					t.Fatal(err)
				}
				v := pass.Verdict()
				if v.Result != want || want == gate.Passed && v.Review.Criteria[0].Citations[0].Shows != gate.ShowsChange {
					t.Errorf("%+v", v)
				}
			})
		}
	}
}
