package evidence_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/plan"
)

func TestTypeOf(t *testing.T) {
	tests := map[string]evidence.TaskType{
		"Execute the baseline":                 evidence.Experimental,
		"RUN it":                               evidence.Experimental,
		"diagnostic of the sensor":             evidence.Experimental,
		"an experiment":                        evidence.Experimental,
		"on the GPU":                           evidence.Experimental,
		"train a model":                        evidence.Experimental,
		"Write a summary":                      evidence.Documentation,
		"design the schema":                    evidence.Documentation,
		"Draft of chapter 1":                   evidence.Documentation,
		"the doc of the API":                   evidence.Documentation,
		"documents":                            evidence.Documentation,
		"the paper":                            evidence.Documentation,
		"write the design of the model":        evidence.Experimental, // experiments are looked for first
		"re-execute what the paper says":       evidence.Experimental,
		"something else":                       evidence.Experimental, // by default
		"":                                     evidence.Experimental,
		"prune the tree and write it up":       evidence.Experimental, // a word counts wherever it stands
		"Re-Execute Task 1 – CLIP Integration": evidence.Experimental,
	}
	for action, want := range tests {
		if got := evidence.TypeOf(action); got != want {
			t.Errorf("%q is %s, want %s", action, got, want)
		}
	}
}

func TestNeeds(t *testing.T) {
	p := &evidence.Policy{}
	run := func(id string) evidence.Need { return evidence.Need{Kind: evidence.Run, Name: id} }
	file := func(path string) evidence.Need { return evidence.Need{Kind: evidence.File, Name: path} }
	tests := map[string]struct {
		title string
		claim evidence.Claim
		want  []evidence.Need
	}{
		"experiment":               {"run it", evidence.Claim{Runs: []string{"a", "b", "a"}, Artifacts: []string{"x", "x"}}, []evidence.Need{run("a"), run("b"), file("x")}},
		"experiment without a run": {"run it", evidence.Claim{Artifacts: []string{"x"}}, []evidence.Need{run(""), file("x")}},
		"document":                 {"write it", evidence.Claim{Runs: []string{"a"}, Artifacts: []string{"x"}}, []evidence.Need{file("x")}},
		"document without files":   {"write it", evidence.Claim{}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, p.Needs(&plan.Task{Title: test.title}, test.claim)); diff != "" {
				t.Error(diff)
			}
		})
	}
	p.Further = func(*plan.Task) []evidence.Need { return []evidence.Need{{Kind: evidence.Command, Name: "true"}} }
	p.TypeOf = func(*plan.Task) evidence.TaskType { return evidence.Documentation }
	if got := p.Needs(&plan.Task{Title: "run it"}, evidence.Claim{}); len(got) != 1 || got[0].Kind != evidence.Command {
		t.Errorf("needs of a host's own policy: %v", got)
	}
}

func workspace(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"full": "content\n", "empty": "", "folder/file": "x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "nothing"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

const ofFull = "sha256:434728a410a78f56fc1b5899c3593436e61ab0c731e9072d95e96db290205e53"

func TestFiles(t *testing.T) {
	dir := workspace(t)
	if err := os.Symlink(filepath.Join(dir, "..", ".."), filepath.Join(dir, "out")); err != nil {
		t.Logf("no links here: %v", err)
	}
	tests := map[string]struct {
		need  evidence.Need
		state evidence.State
		why   string
	}{
		"a file":               {evidence.Need{Kind: evidence.File, Name: "full"}, evidence.Found, ""},
		"a folder":             {evidence.Need{Kind: evidence.File, Name: "folder"}, evidence.Found, ""},
		"an empty file":        {evidence.Need{Kind: evidence.File, Name: "empty"}, evidence.Missing, "is empty"},
		"an empty folder":      {evidence.Need{Kind: evidence.File, Name: "nothing"}, evidence.Missing, "empty folder"},
		"no file":              {evidence.Need{Kind: evidence.File, Name: "none"}, evidence.Missing, "not there"},
		"no name":              {evidence.Need{Kind: evidence.File, Name: ""}, evidence.Missing, "workspace"},
		"outside":              {evidence.Need{Kind: evidence.File, Name: "../x"}, evidence.Missing, "workspace"},
		"absolute":             {evidence.Need{Kind: evidence.File, Name: "/etc/passwd"}, evidence.Missing, "workspace"},
		"through a link":       {evidence.Need{Kind: evidence.File, Name: "out/tmp"}, evidence.Missing, ""},
		"a checksum":           {evidence.Need{Kind: evidence.Checksum, Name: "full", Want: ofFull}, evidence.Found, ""},
		"large letters":        {evidence.Need{Kind: evidence.Checksum, Name: "full", Want: "sha256:" + strings.ToUpper(ofFull[7:])}, evidence.Found, ""},
		"another checksum":     {evidence.Need{Kind: evidence.Checksum, Name: "full", Want: "sha256:" + strings.Repeat("0", 64)}, evidence.Missing, "another content"},
		"no checksum":          {evidence.Need{Kind: evidence.Checksum, Name: "full", Want: "md5:00"}, evidence.Unverifiable, "hexadecimal"},
		"checksum of a folder": {evidence.Need{Kind: evidence.Checksum, Name: "folder", Want: ofFull}, evidence.Missing, "no file"},
		"an unknown kind":      {evidence.Need{Kind: "rumour", Name: "x"}, evidence.Unverifiable, "no evidence of the kind"},
		"a command, no runner": {evidence.Need{Kind: evidence.Command, Name: "true"}, evidence.Unverifiable, "nothing that could run"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := (&evidence.Policy{}).Look(t.Context(), evidence.Place{Dir: dir}, []evidence.Need{test.need})[0]
			if got.State != test.state || !strings.Contains(got.Why, test.why) {
				t.Errorf("%s (%s), want %s (…%s…)", got.State, got.Why, test.state, test.why)
			}
		})
	}
}

type runner func(c gate.Command) (gate.CommandResult, error)

func (r runner) Run(_ context.Context, c gate.Command) (gate.CommandResult, error) { return r(c) }

func TestCommands(t *testing.T) {
	for name, test := range map[string]struct {
		exit  int
		err   error
		state evidence.State
	}{"succeeds": {0, nil, evidence.Found}, "fails": {1, nil, evidence.Missing}, "cannot run": {0, errors.New("no"), evidence.Unverifiable}} {
		t.Run(name, func(t *testing.T) {
			at := evidence.Place{Runner: runner(func(gate.Command) (gate.CommandResult, error) { return gate.CommandResult{Exit: test.exit}, test.err })}
			if got := (&evidence.Policy{}).Look(t.Context(), at, []evidence.Need{{Kind: evidence.Command, Name: "x"}})[0]; got.State != test.state {
				t.Errorf("%s, want %s", got.State, test.state)
			}
		})
	}
}

// TestWeb: no host is asked that is not listed, and no redirect leads to one.
func TestWeb(t *testing.T) {
	var strangers int
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers++ }))
	defer stranger.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
		case "/here":
			http.Redirect(w, r, "/ok", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/away":
			http.Redirect(w, r, stranger.URL, http.StatusFound)
		case "/secret":
			w.WriteHeader(http.StatusForbidden)
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	web := &evidence.Web{Hosts: []string{host}}
	tests := map[string]struct {
		web   *evidence.Web
		url   string
		state evidence.State
	}{
		"answers":                  {web, server.URL + "/ok", evidence.Found},
		"redirect on the host":     {web, server.URL + "/here", evidence.Found},
		"redirect without an end":  {web, server.URL + "/loop", evidence.Unverifiable},
		"redirect to a stranger":   {web, server.URL + "/away", evidence.Unverifiable},
		"not found":                {web, server.URL + "/none", evidence.Missing},
		"forbidden":                {web, server.URL + "/secret", evidence.Unverifiable},
		"broken":                   {web, server.URL + "/broken", evidence.Unverifiable},
		"a stranger":               {web, stranger.URL, evidence.Unverifiable},
		"nobody allowed it":        {nil, server.URL + "/ok", evidence.Unverifiable},
		"another scheme":           {web, "file://" + host + "/etc/passwd", evidence.Unverifiable},
		"a user in the address":    {web, "http://user:word@" + host + "/ok", evidence.Unverifiable},
		"no address":               {web, "results.json", evidence.Missing},
		"a host that looks listed": {web, "http://" + strings.Replace(host, ":", ".example.org:", 1) + "/ok", evidence.Unverifiable},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := (&evidence.Policy{Web: test.web}).Look(t.Context(), evidence.Place{}, []evidence.Need{{Kind: evidence.URL, Name: test.url}})[0]
			if got.State != test.state {
				t.Errorf("%s (%s), want %s", got.State, got.Why, test.state)
			}
		})
	}
	if strangers != 0 {
		t.Errorf("a host that is not listed was asked %d times", strangers)
	}
}

func TestPass(t *testing.T) {
	found, missing, unknown := evidence.Item{State: evidence.Found}, evidence.Item{State: evidence.Missing}, evidence.Item{State: evidence.Unverifiable}
	for _, test := range []struct {
		items []evidence.Item
		want  bool
	}{{nil, true}, {[]evidence.Item{found, found}, true}, {[]evidence.Item{found, missing}, false}, {[]evidence.Item{found, unknown}, false}} {
		if got := evidence.Pass(test.items); got != test.want {
			t.Errorf("%v: %v", test.items, got)
		}
	}
}

// TestChecks: a check that cannot be verified is not decided.
func TestChecks(t *testing.T) {
	dir := workspace(t)
	p := panel.Panel{Checks: evidence.Checks(&evidence.Policy{Tracker: &evidence.MLflow{URL: recorded(t, "").URL}})}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		check plan.Check
		want  gate.Result
	}{
		"file":              {plan.Check{Kind: "file_not_empty", Path: "full"}, gate.Passed},
		"empty file":        {plan.Check{Kind: "file_not_empty", Path: "empty"}, gate.Fail},
		"checksum":          {plan.Check{Kind: "file_sha256", Path: "full", Text: ofFull}, gate.Passed},
		"run":               {plan.Check{Kind: "mlflow_run", Name: finished}, gate.Passed},
		"run and artifact":  {plan.Check{Kind: "mlflow_run", Name: finished, Path: "baseline.json"}, gate.Passed},
		"run, no artifact":  {plan.Check{Kind: "mlflow_run", Name: finished, Path: "none"}, gate.Fail},
		"run, not finished": {plan.Check{Kind: "mlflow_run", Name: running}, gate.Fail},
		"address":           {plan.Check{Kind: "url", Text: "http://example.org"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, c := range p.Checks {
				if c.Kind() != test.check.Kind {
					continue
				}
				v, err := c.Decide(t.Context(), &gate.Pass{Dir: dir}, test.check)
				if (err != nil) != (test.want == "") || err == nil && v.Result != test.want {
					t.Errorf("%v, %v; want %q", v, err, test.want)
				}
			}
		})
	}
}

func ExamplePolicy() {
	dir, err := os.MkdirTemp("", "evidence")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "report.md"), []byte("# Report\n"), 0o644); err != nil {
		panic(err)
	}
	policy := &evidence.Policy{}
	task := &plan.Task{Title: "Write the report"}
	needs := policy.Needs(task, evidence.Claim{Artifacts: []string{"report.md", "figures.png"}})
	for _, item := range policy.Look(context.Background(), evidence.Place{Dir: dir}, needs) {
		fmt.Printf("%s %s %q\n", item.Name, item.State, item.Why)
	}
	// Output:
	// report.md found ""
	// figures.png missing "\"figures.png\" is not there"
}
