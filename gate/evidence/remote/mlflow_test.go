package remote_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/evidence/remote"
	"github.com/planlock/planlock/gate/evidence/search"
)

const (
	finished = "9f2c1e0b7a5d4c3f8e6a1b2c3d4e5f60"
	running  = "aaaa1e0b7a5d4c3f8e6a1b2c3d4e5f60"
	failed   = "bbbb1e0b7a5d4c3f8e6a1b2c3d4e5f60"
)

// recorded is a tracking server that answers with recorded bodies, and wants a
// token.
func recorded(t *testing.T, token string) *httptest.Server {
	body := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("testdata", "mlflow", name))
		if err != nil {
			t.Error(err)
		}
		return text
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/2.0/mlflow/runs/get", func(w http.ResponseWriter, r *http.Request) {
		if token != "" && r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch r.URL.Query().Get("run_id") {
		case finished:
			w.Write(body("finished.json"))
		case running:
			w.Write(body("running.json"))
		case failed:
			w.Write(body("failed.json"))
		case "other":
			w.Write(body("finished.json"))
		case "broken":
			w.WriteHeader(http.StatusInternalServerError)
		case "page":
			w.Write([]byte("<html>please log in</html>"))
		case "twice":
			w.Write(bytes.Replace(body("finished.json"), []byte(`"status"`), []byte(`"status": "FAILED", "status"`), 1))
		case "deleted":
			io.WriteString(w, strings.NewReplacer(finished, "deleted", `"active"`, `"deleted"`).Replace(string(body("finished.json"))))
		case "large":
			w.Write([]byte(strings.Repeat(" ", 4<<20+1)))
		case "elsewhere":
			http.Redirect(w, r, "/api/2.0/mlflow/runs/get?run_id="+finished, http.StatusFound)
		case "late":
			<-r.Context().Done()
		default:
			w.WriteHeader(http.StatusNotFound)
			w.Write(body("unknown.json"))
		}
	})
	mux.HandleFunc("GET /api/2.0/mlflow/artifacts/list", func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query(); {
		case q.Get("run_id") != finished:
			w.WriteHeader(http.StatusNotFound)
			w.Write(body("unknown.json"))
		case q.Get("path") != "":
			w.Write([]byte(`{"files":[{"path":"plots/loss.png","is_dir":false,"file_size":"9"}]}`))
		case q.Get("page_token") == "more":
			w.Write(body("artifacts2.json"))
		default:
			w.Write(body("artifacts.json"))
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestMLflowRun(t *testing.T) {
	m := &remote.MLflow{URL: recorded(t, "").URL}
	need := evidence.Need{Kind: evidence.Run, Name: finished}
	got := m.Look(t.Context(), need)
	want := evidence.Item{Need: need, State: evidence.Found, Experiment: "3", Status: "FINISHED",
		Metrics: map[string]float64{"accuracy": 0.93}, Started: time.Date(2025, 10, 18, 16, 4, 21, 0, time.UTC)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMLflowEvidence: only a run that the server knows and calls finished is
// found; what nobody can say is said to be so.
func TestMLflowEvidence(t *testing.T) {
	server := recorded(t, "").URL
	look := func(m *remote.MLflow, n evidence.Need) evidence.Item {
		return (&search.Policy{Tracker: m}).Look(t.Context(), t.TempDir(), nil, []evidence.Need{n})[0]
	}
	run := func(id string) evidence.Need { return evidence.Need{Kind: evidence.Run, Name: id} }
	file := func(path string) evidence.Need {
		return evidence.Need{Kind: evidence.Artifact, Name: path, Want: finished}
	}
	m := &remote.MLflow{URL: server, Timeout: time.Minute} // a machine may be busy
	hasty := &remote.MLflow{URL: server, Timeout: 200 * time.Millisecond}
	tests := map[string]struct {
		m     *remote.MLflow
		need  evidence.Need
		state evidence.State
		why   string
	}{
		"finished":            {m, run(finished), evidence.Found, ""},
		"running":             {m, run(running), evidence.Missing, `"RUNNING", not FINISHED`},
		"failed":              {m, run(failed), evidence.Missing, `"FAILED", not FINISHED`},
		"deleted":             {m, run("deleted"), evidence.Missing, "was deleted"},
		"unknown":             {m, run("cccc"), evidence.Missing, "knows no such run"},
		"no id":               {m, run(""), evidence.Missing, "no run was named"},
		"another run":         {m, run("other"), evidence.Unverifiable, "another run"},
		"server error":        {m, run("broken"), evidence.Unverifiable, "status 500"},
		"a page":              {m, run("page"), evidence.Unverifiable, "no answer of this API"},
		"said twice":          {m, run("twice"), evidence.Unverifiable, `"status" stands twice`},
		"too large":           {m, run("large"), evidence.Unverifiable, "more than"},
		"redirect":            {m, run("elsewhere"), evidence.Unverifiable, "sends elsewhere"},
		"late":                {hasty, run("late"), evidence.Unverifiable, "no answer within 200ms"},
		"no server":           {nil, run(finished), evidence.Unverifiable, "no tracking server"},
		"no such server":      {&remote.MLflow{URL: "http://127.0.0.1:1"}, run(finished), evidence.Unverifiable, "could not be asked"},
		"no URL":              {&remote.MLflow{URL: "file:///etc"}, run(finished), evidence.Unverifiable, "set MLflow.URL"},
		"no API there":        {&remote.MLflow{URL: server + "/elsewhere"}, run(finished), evidence.Unverifiable, "no API"},
		"artifact":            {m, file("baseline.json"), evidence.Found, ""},
		"artifact, next page": {m, file("setup.md"), evidence.Found, ""},
		"artifact, folder":    {m, file("plots/loss.png"), evidence.Found, ""},
		"artifact, empty":     {m, file("empty.json"), evidence.Missing, "is empty"},
		"artifact, missing":   {m, file("other.json"), evidence.Missing, "no artifact"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := look(test.m, test.need)
			if got.State != test.state || !strings.Contains(got.Why, test.why) ||
				(got.Why == "") != (got.State == evidence.Found) {
				t.Errorf("%s (%s), want %s (…%s…)", got.State, got.Why, test.state, test.why)
			}
		})
	}
}

// TestServersThatRepeat: what a server says of what it was told is in no
// message.
func TestServersThatRepeat(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		fmt.Fprintf(w, `{"run":{"info":{"run_id":"r","status":"RUNNING for %s %s"}}}`,
			r.Header.Get("Authorization"), password)
	}))
	defer server.Close()
	t.Setenv("SECRET_OF_A_TEST", "s3cr3t-of-a-test")
	encoded := base64.StdEncoding.EncodeToString([]byte("s3cr3t-of-a-test:s3cr3t-of-a-test"))
	for name, m := range map[string]*remote.MLflow{
		"token":    {URL: server.URL, TokenEnv: "SECRET_OF_A_TEST"},
		"password": {URL: server.URL, UserEnv: "SECRET_OF_A_TEST", PasswordEnv: "SECRET_OF_A_TEST"},
	} {
		got := m.Look(t.Context(), evidence.Need{Kind: evidence.Run, Name: "r"})
		if !strings.Contains(got.Why, "RUNNING for ") || strings.Contains(got.Why, "s3cr3t") ||
			strings.Contains(got.Why, encoded) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestMLflowToken: the token goes to the server and into no message.
func TestMLflowToken(t *testing.T) {
	const secret = "s3cr3t-token"
	server := recorded(t, secret)
	m := &remote.MLflow{URL: server.URL, TokenEnv: "TRACKING_TOKEN_OF_A_TEST"}
	need := evidence.Need{Kind: evidence.Run, Name: finished}
	if got := m.Look(t.Context(), need); got.State != evidence.Unverifiable ||
		!strings.Contains(got.Why, "TRACKING_TOKEN_OF_A_TEST") {
		t.Errorf("without a token: %+v", got)
	}
	t.Setenv("TRACKING_TOKEN_OF_A_TEST", secret)
	if got := m.Look(t.Context(), need); got.State != evidence.Found {
		t.Errorf("with the token: %+v", got)
	}
	t.Setenv("TRACKING_TOKEN_OF_A_TEST", secret+"-old")
	if got := m.Look(t.Context(), need); got.State != evidence.Unverifiable ||
		!strings.Contains(got.Why, "status 401") || strings.Contains(got.Why, secret) {
		t.Errorf("with an old token: %+v", got)
	}
	t.Setenv("TRACKING_TOKEN_OF_A_TEST", secret+"\nX-Other: 1")
	if got := m.Look(t.Context(), need); got.State != evidence.Unverifiable || strings.Contains(got.Why, secret) {
		t.Errorf("with a token of two lines: %+v", got)
	}
	if v := (&search.Policy{Tracker: m}).Version(); strings.Contains(v, secret) {
		t.Errorf("version %q", v)
	}
}
