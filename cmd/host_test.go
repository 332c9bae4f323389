package cmd

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// settles is an escalator of a host that settles whatever is asked.
type settles struct{ asked int }

func (s *settles) Ask(_ context.Context, q ask.Question) (ask.Answer, error) {
	s.asked++
	a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: q.Choices[0].Key, By: "the host"}
	a.Acknowledged = q.Choices[0].Acknowledge
	return a, nil
}

// TestHostOfTheCommand runs the command as a host's own program would: with an
// executor and an escalator that planlock does not have.
func TestHostOfTheCommand(t *testing.T) {
	plans := inFolder(t, map[string]string{"01-01-PLAN.md": "---\nphase: 01\nplan: 01\n---\n<tasks>\n" +
		"<task type=\"checkpoint:human-verify\" gate=\"blocking\">\n<what-built>It</what-built>\n<how-to-verify>Look.</how-to-verify>\n</task>\n" +
		"<task type=\"auto\">\n<name>Write it</name>\n<action>Write.</action>\n</task>\n</tasks>\n"})
	person := &settles{}
	writes := exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, "written"), []byte("x"), 0o644)
	})
	var out, errs bytes.Buffer
	work := inFolder(t, nil)
	status := run(With{Escalator: person, Executors: exec.Executors{"writer": writes}},
		[]string{"run", "--dir", work, "--executor", "writer", plans}, bytes.NewReader(nil), &out, &errs)
	if status != 3 || person.asked != 1 { // nobody looked at what it wrote
		t.Errorf("ended with %d after %d questions, want 3 after 1\n%s%s", status, person.asked, &out, &errs)
	}
	if _, err := os.Stat(filepath.Join(work, "written")); err != nil {
		t.Error(err)
	}
}

// TestHostFormats runs a plan of a format of the host's own, and goes on with
// such a run: planlock reads what it is not told to leave.
func TestHostFormats(t *testing.T) {
	const text = "schema = 1\nnon_goals = []\n[goal]\ndescription = \"Note\"\n[[requirements]]\nid = \"R1\"\ntext = \"A note\"\n" +
		"[[tasks]]\nid = 1\ndescription = \"Write\"\n[[tasks.steps]]\nid = 1\ndescription = \"Write\"\nrun = \"echo a > a.txt\"\n" +
		"requirements = [\"R1\"]\nrollback = \"reversible\"\non_failure = \"block\"\n" +
		"semantic_change = \"extending\"\n" +
		"limits = { max_files = 1, max_lines = 9 }\nartifacts = { create = [\"a.txt\"] }\n" +
		"postconditions = [{ kind = \"file_contains\", path = \"a.txt\", text = \"a\" }]\n"
	read := 0
	with := With{Formats: []func(string) (*plan.Draft, error){func(path string) (*plan.Draft, error) {
		if filepath.Ext(path) != ".note" {
			return nil, nil
		}
		read++
		backwards, err := os.ReadFile(path)
		slices.Reverse(backwards)
		if err != nil {
			return nil, err
		}
		return native.Read(path, backwards)
	}}}
	note := []byte(text)
	slices.Reverse(note)
	plans := inFolder(t, map[string]string{"a.note": string(note), "b.toml": text})
	for name, want := range map[string]int{"a.note": 1, "b.toml": 0} {
		work, before := inFolder(t, nil), read
		var out, errs bytes.Buffer
		status := run(with, []string{"check", filepath.Join(plans, name)}, bytes.NewReader(nil), &out, &errs)
		if status != 0 || read-before != want {
			t.Errorf("check %s ended with %d, and was read %d times\n%s%s", name, status, read-before, &out, &errs)
		}
		args := []string{"run", "--dir", work, filepath.Join(plans, name)}
		if status = run(with, args, bytes.NewReader(nil), &out, &errs); status != 0 {
			t.Errorf("run %s ended with %d\n%s%s", name, status, &out, &errs)
		}
	}
}

// TestKeysAreSecrets has no command of a step or a gate see the keys of whoever
// runs it.
func TestKeysAreSecrets(t *testing.T) {
	state := t.TempDir()
	for value, want := range map[string][]string{state: {filepath.Join(state, "keys")}, "off": nil} {
		t.Setenv("PLANLOCK_STATE", value)
		if got := new(cli).controller(t.TempDir()).Secrets; !slices.Equal(got, want) {
			t.Errorf("with PLANLOCK_STATE=%s the secrets are %q, want %q", value, got, want)
		}
	}
}

// TestHostObserves: a host is told what happens, and its advisors are asked where
// no flag names one.
func TestHostObserves(t *testing.T) {
	const text = "schema = 1\nnon_goals = []\n[goal]\ndescription = \"Fail\"\n[[requirements]]\nid = \"R1\"\ntext = \"A note\"\n" +
		"[[tasks]]\nid = 1\ndescription = \"Write\"\n[[tasks.steps]]\nid = 1\ndescription = \"Write\"\nrun = \"false\"\n" +
		"requirements = [\"R1\"]\nrollback = \"reversible\"\non_failure = \"retry\"\nmax_retries = 1\n" +
		"semantic_change = \"extending\"\n" +
		"limits = { max_files = 1, max_lines = 9 }\nartifacts = { create = [\"a.txt\"] }\n" +
		"postconditions = [{ kind = \"file_contains\", path = \"a.txt\", text = \"a\" }]\n"
	var told []string
	asked := &advises{}
	with := With{Advisors: exec.Advisors{advice.Reflection: asked},
		Observe: func(_ context.Context, e event.Event) { told = append(told, string(e.Kind)) }}
	plans := inFolder(t, map[string]string{"plan.toml": text})
	var out, errs bytes.Buffer
	status := run(with, []string{"run", "--dir", inFolder(t, nil), "--preset", "reflective", filepath.Join(plans, "plan.toml")},
		bytes.NewReader(nil), &out, &errs)
	if status != 1 || asked.times == 0 || !slices.Contains(told, "ended") {
		t.Errorf("ended with %d, was advised %d times, and told %v\n%s%s", status, asked.times, told, &out, &errs)
	}
}

// TestTelemetry: the collector that the user's environment names is told of a run; one that is
// not there, or is asked for in a way that nobody speaks, is a warning.
func TestTelemetry(t *testing.T) {
	const text = "schema = 1\nnon_goals = []\n[goal]\ndescription = \"Write\"\n[[requirements]]\nid = \"R1\"\ntext = \"A note\"\n" +
		"[[tasks]]\nid = 1\ndescription = \"Write\"\n[[tasks.steps]]\nid = 1\ndescription = \"Write\"\nrun = \"echo a > a.txt\"\n" +
		"requirements = [\"R1\"]\nrollback = \"reversible\"\non_failure = \"block\"\nsemantic_change = \"extending\"\n" +
		"limits = { max_files = 1, max_lines = 9 }\nartifacts = { create = [\"a.txt\"] }\n" +
		"postconditions = [{ kind = \"file_contains\", path = \"a.txt\", text = \"a\" }]\n"
	var asked sync.Map
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked.Store(r.URL.Path, true) }))
	defer collector.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	plan := filepath.Join(inFolder(t, map[string]string{"plan.toml": text}), "plan.toml")
	for _, c := range []struct{ endpoint, protocol, warning string }{
		{"", "", ""},
		{collector.URL, "", ""},
		{collector.URL, "grpc", "OpenTelemetry is told nothing: "},
		{gone.URL, "", "OpenTelemetry was not told all: "},
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.endpoint)
		t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", c.protocol)
		asked.Clear()
		var out, errs bytes.Buffer
		status := run(With{}, []string{"run", "--dir", inFolder(t, nil), plan}, bytes.NewReader(nil), &out, &errs)
		if warned := strings.Contains(errs.String(), "OpenTelemetry"); status != 0 || warned != (c.warning != "") ||
			!strings.Contains(errs.String(), c.warning) {
			t.Errorf("%+v: ended with %d\n%s%s", c, status, &out, &errs)
		}
		for _, path := range []string{"/v1/traces", "/v1/metrics"} {
			if _, told := asked.Load(path); told != (c.endpoint == collector.URL && c.warning == "") {
				t.Errorf("%+v: %s told: %t", c, path, told)
			}
		}
	}
}

// advises counts how often it is asked.
type advises struct{ times int }

func (a *advises) Advise(context.Context, advice.Case) (advice.Advice, error) {
	a.times++
	return advice.Advice{Note: "look at it again"}, nil
}

func (*advises) Version(context.Context) (string, error) { return "1", nil }
