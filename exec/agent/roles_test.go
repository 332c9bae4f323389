package agent_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/advice/external"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/agent/agenttest/fake"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// contract is what a reviewer answers.
const contract = `{"verdict": "APPROVE", "flags": {"critical": [], "warnings": []}, "checks": {}, "proposed_jobs": []}`

// judgement is what a validator answers.
const judgement = `{"verdict": "pass", "criteria": [{"criterion": 1, "met": true, "citations": ["a.txt:1: a"]}], "findings": []}`

// TestValidator: the answer is found in the last message, and what is none decides
// nothing.
func TestValidator(t *testing.T) {
	quoted := judgement
	judgement := `{"digest": "sha256:46aa", ` + judgement[1:]
	tests := []struct {
		name, says string
		verdict    string // "" none
	}{
		{"about no tree", "The file holds " + quoted, ""},
		{"about another tree", strings.Replace(judgement, "46aa", "46ab", 1), ""},
		{"by itself", judgement, "pass"},
		{"in a block", "I looked at it.\n\n```json\n" + strings.ReplaceAll(judgement, ", ", ",\n ") + "\n```\n", "pass"},
		{"behind words", "I looked at it.\n" + strings.ReplaceAll(judgement, ", ", ",\n "), "pass"},
		{"two blocks", "```json\n" + judgement + "\n```\nor\n```json\n{\"verdict\": \"fail\"}\n```", ""},
		{"a quoted answer and its own", "The file holds:\n```json\n" + judgement + "\n```\nMine:\n{\"verdict\": \"fail\"}", ""},
		{"its own and a quoted answer", "{\"verdict\": \"fail\"}\nThe file holds:\n" + judgement, ""},
		{"a quoted answer and one that cannot be read", "```json\n" + judgement + "\n```\n{\"verdict\": \"fail\",}", ""},
		{"one within a line", "I say " + judgement + ".", "pass"},
		{"behind another object", "It sets {\"port\": 80}.\n" + judgement, "pass"},
		{"words", "All of it is well done: pass.", ""},
		{"another verdict", `{"verdict": "APPROVED"}`, ""},
		{"twice the verdict", `{"verdict": "fail", "verdict": "pass"}`, ""},
	}
	each(t, func(t *testing.T, name string) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				told := fake.Install(t, name, fake.Turn{Say: test.says})
				v := worker(t, name, agent.Options{}).Validator()
				got, err := v.Review(t.Context(), review.Request{About: review.AboutWork, Digest: "sha256:46aa", Title: "The limiter",
					Acceptance: []string{"it counts"}})
				if got.Verdict != test.verdict || (err == nil) != (test.verdict != "") ||
					err != nil && !errors.Is(err, review.ErrAnswer) {
					t.Errorf("verdict %q, %v", got.Verdict, err)
				}
				asked := told.Told()[0]
				if entries, err := os.ReadDir(asked.Dir); err == nil {
					t.Errorf("its folder is left, with %d files", len(entries))
				}
				if !strings.Contains(asked.Prompt, "it counts") || v.Name() != "validator" {
					t.Errorf("%q was asked %s", v.Name(), asked.Prompt)
				}
			})
		}
	})
}

// TestReviewerFails: a reviewer that ends without a word may be asked once more;
// one that is not there, not logged in or at its limit may not.
func TestReviewerFails(t *testing.T) {
	cleanHome(t)
	r := worker(t, "claude", agent.Options{}).Reviewer("ops")
	ask := func() error {
		_, err := r.Review(t.Context(), review.Request{About: review.AboutTask})
		return err
	}
	fake.Install(t, "claude", fake.Turn{Fail: "boom"}, fake.Turn{Fail: "429 rate limit"}, fake.Turn{Say: contract})
	var login *agent.LoginError
	if err := ask(); !errors.As(err, &login) {
		t.Errorf("error %v", err)
	}
	t.Setenv("ANTHROPIC_API_KEY", key)
	if err := ask(); !errors.Is(err, review.ErrCrashed) {
		t.Errorf("error %v", err)
	}
	var limit *exec.LimitError
	if err := ask(); !errors.As(err, &limit) || errors.Is(err, review.ErrCrashed) {
		t.Errorf("error %v", err)
	}
	got, err := r.Review(t.Context(), review.Request{About: review.AboutTask})
	if err != nil || got.Verdict != "APPROVE" || got.Error != "" || len(got.Faults) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAdvisors: agents propose as programs do.
func TestAdvisors(t *testing.T) {
	cleanHome(t)
	t.Setenv("ANTHROPIC_API_KEY", key)
	told := fake.Install(t, "claude", fake.Turn{In: 100, Out: 10,
		Say: "```json\n{\"root_cause\": \"import error\", \"note\": \"n\", \"confidence\": 0.8, \"patch\": {\"summary\": \"s\", \"prompt\": \"p\"}}\n```"},
		fake.Turn{Say: `{"findings": ["a.txt:1: ink dries"], "sources": ["a.txt"]}`},
		fake.Turn{Say: `{"nothing": "no idea"}`}, fake.Turn{Say: "try harder"},
		fake.Turn{Say: "a.txt holds {\"findings\": [\"ink dries not\"]}\n{\"findings\": [\"ink dries\"]}"})
	e := worker(t, "claude", agent.Options{})
	c := advice.Case{Kind: advice.Reflection, Point: advice.Execution, Goal: "a goal",
		Task: &plan.Task{ID: "1", Title: "Ink that dries"}, Method: advice.Method{ID: "primary", Prompt: "do it"},
		Files: []string{"a.txt"}, Open: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("ink dries slowly\n")), nil
		}}
	got, err := e.Advisor().Advise(t.Context(), c)
	if err != nil || got.Advisor != "claude" || got.Confidence != 0.8 || got.Patch == nil || got.Cost.Tokens != 110 {
		t.Errorf("%+v, %v", got, err)
	}
	c.Kind, c.Point = advice.Research, advice.Task
	got, err = e.Researcher().Advise(t.Context(), c)
	if err != nil || len(got.Findings) != 1 || got.Sources[0] != "a.txt" {
		t.Errorf("%+v, %v", got, err)
	}
	if asked := told.Told()[1].Prompt; !strings.Contains(asked, "ink dries slowly") {
		t.Errorf("it was asked %s", asked)
	}
	if _, err = e.Researcher().Advise(t.Context(), c); !errors.Is(err, advice.ErrNothing) {
		t.Errorf("error %v", err)
	}
	if _, err = e.Researcher().Advise(t.Context(), c); !errors.Is(err, external.ErrAnswer) {
		t.Errorf("error %v", err)
	}
	if _, err = e.Researcher().Advise(t.Context(), c); !errors.Is(err, external.ErrAnswer) {
		t.Errorf("error of two answers: %v", err)
	}
	c.Kind = advice.Feasible
	if _, err = e.Advisor().Advise(t.Context(), c); !errors.Is(err, advice.ErrNothing) {
		t.Errorf("error %v", err)
	}
}

// TestIdentity: an agent that reviews its own work is told from another by its
// name or its model alone.
func TestIdentity(t *testing.T) {
	cleanHome(t)
	fake.Install(t, "claude")
	fake.Install(t, "codex")
	of := func(x any) string {
		id, err := x.(gate.Identified).Identity(t.Context())
		if err != nil || id == "" {
			t.Fatalf("identity %q, %v", id, err)
		}
		return id
	}
	mine := worker(t, "claude", agent.Options{})
	if of(mine) != of(mine.Validator()) || of(mine) != of(mine.Reviewer("ops")) || of(mine) != of(mine.Advisor()) {
		t.Error("an agent counts as somebody else than itself")
	}
	for name, other := range map[string]*agent.Executor{"another agent": worker(t, "codex", agent.Options{}),
		"another model": worker(t, "claude", agent.Options{Model: "opus"})} {
		if of(mine) == of(other.Validator()) {
			t.Errorf("%s counts as the same", name)
		}
	}
	version, err := mine.Version(t.Context())
	if err != nil || !strings.HasPrefix(version, "claude 9.9.9 headless ") || len(strings.Fields(version)) != 4 {
		t.Errorf("version %q, %v", version, err)
	}
}

// TestCustom has an agent that somebody describes carry out a step.
func TestCustom(t *testing.T) {
	cleanHome(t)
	t.Setenv("MINE_API_KEY", key)
	told := fake.Install(t, "mine", fake.Turn{Write: map[string]string{"a.txt": "a\n"}, Say: "It is written.\nINSIGHT: ink dries"})
	e := worker(t, "mine", agent.Options{Model: "large", Custom: &agent.Custom{Args: []string{"mine", "--model={model}", "--", "{prompt}"},
		Variables: []string{"MINE_API_KEY"}}})
	var log bytes.Buffer
	o, err := e.Execute(t.Context(), work(t, &log))
	if err != nil || !strings.HasPrefix(o.Stdout, "It is written.") || len(o.Insights) != 1 ||
		strings.Count(log.String(), "It is written.") != 1 {
		t.Errorf("%+v, %v, %s", o, err, log.String())
	}
	got := told.Told()[0]
	if len(got.Args) != 3 || got.Args[0] != "--model=large" || !strings.Contains(got.Args[2], "a goal") || got.Prompt != "" {
		t.Errorf("arguments %q, input %q", got.Args, got.Prompt)
	}
	if env := strings.Join(got.Env, "\n"); !strings.Contains(env, "MINE_API_KEY="+key) {
		t.Errorf("environment %s", env)
	}
}

// TestCustomModel: a command that takes a model is given one, and no other is.
func TestCustomModel(t *testing.T) {
	for name, test := range map[string]struct {
		model string
		of    agent.Custom
		want  agent.ModelError
	}{
		"takes none": {"opus", agent.Custom{Args: []string{"mine"}}, agent.ModelError{Agent: "rev"}},
		"needs one":  {"", agent.Custom{Args: []string{"mine", "--model", "{model}"}}, agent.ModelError{Agent: "rev", Needed: true}},
		"needs one by the protocol": {"", agent.Custom{Args: []string{"mine", "--model={model}"}, ACP: true},
			agent.ModelError{Agent: "rev", Needed: true}},
	} {
		var got *agent.ModelError
		if e, err := agent.New("rev", agent.Options{Model: test.model, Custom: &test.of}); !errors.As(err, &got) || *got != test.want || e != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := agent.New("rev", agent.Options{Model: "opus", Custom: &agent.Custom{Args: []string{"mine"}, ACP: true}}); err != nil {
		t.Errorf("by the protocol: %v", err)
	}
}

// TestCustomIdentity: agents that are described are told apart by what is started
// and the model that it gets, and not by what they are called.
func TestCustomIdentity(t *testing.T) {
	cleanHome(t)
	fake.Install(t, "mine")
	of := func(name, model string, acp bool, args ...string) string {
		t.Helper()
		e, err := agent.New(name, agent.Options{Model: model, Custom: &agent.Custom{Args: args, ACP: acp}})
		if err != nil {
			t.Fatal(err)
		}
		id, err := e.Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	rev := of("rev", "", false, "mine", "--model", "opus")
	for name, same := range map[string]string{
		"another name":            of("rev3", "", false, "mine", "--model", "opus"),
		"a model that is written": of("rev3", "opus", false, "mine", "--model", "{model}"),
	} {
		if same != rev {
			t.Errorf("%s is another", name)
		}
	}
	if of("rev", "opus", true, "mine", "--model", "{model}") != of("rev", "", true, "mine", "--model", "opus") {
		t.Error("by the protocol a model that is written is another")
	}
	spoken := of("rev", "opus", true, "mine")
	if spoken != of("rev3", "opus", true, "mine") {
		t.Error("another name by the protocol is another")
	}
	for name, other := range map[string]string{
		"another model":    of("rev", "sonnet", false, "mine", "--model", "{model}"),
		"another argument": of("rev", "", false, "mine"),
	} {
		if other == rev {
			t.Errorf("%s is the same", name)
		}
	}
	if spoken == of("rev", "sonnet", true, "mine") || spoken == of("rev", "", true, "mine") {
		t.Error("another model by the protocol is the same")
	}
}

// TestCustomFails: an agent that somebody describes tells of a limit, a full
// context or a login by the last that it prints, on either stream, where its status
// says that it failed.
func TestCustomFails(t *testing.T) {
	const limited = "You have hit your usage limit. Try again in 20 minutes."
	far := limited + strings.Repeat("\nmore", 5)
	var limit *exec.LimitError
	var failed *agent.FailedError
	var login *agent.LoginError
	isLimit := func(err error) bool {
		return errors.As(err, &limit) && time.Until(limit.Until).Round(time.Minute) == 20*time.Minute
	}
	for _, test := range []struct {
		name string
		turn fake.Turn
		is   func(error) bool
	}{
		{"printed last", fake.Turn{Say: "I begin.\n" + limited, Exit: 1}, isLimit},
		{"complained of", fake.Turn{Say: "I begin.", Stderr: limited, Exit: 1}, isLimit},
		{"a rate", fake.Turn{Say: "litellm.RateLimitError: Error code: 429 - retry after 1200 s, key " + key, Exit: 1}, func(err error) bool {
			return isLimit(err) && !strings.Contains(err.Error(), key)
		}},
		{"said before", fake.Turn{Say: far, Exit: 1}, func(err error) bool { return errors.As(err, &failed) && failed.Exit == 1 }},
		{"said, and done", fake.Turn{Say: limited}, func(err error) bool { return err == nil }},
		{"a full context", fake.Turn{Say: "maximum context length is 8192 tokens", Exit: 1}, func(err error) bool {
			return errors.Is(err, exec.ErrContextExhausted)
		}},
		{"no login", fake.Turn{Say: "invalid api key", Exit: 1}, func(err error) bool { return errors.As(err, &login) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			cleanHome(t)
			t.Setenv("MINE_API_KEY", key)
			fake.Install(t, "mine", test.turn)
			e := worker(t, "mine", agent.Options{Custom: &agent.Custom{Args: []string{"mine"}, Variables: []string{"MINE_API_KEY"}}})
			var log bytes.Buffer
			if _, err := e.Execute(t.Context(), work(t, &log)); !test.is(err) {
				t.Errorf("error %v", err)
			}
		})
	}
}
