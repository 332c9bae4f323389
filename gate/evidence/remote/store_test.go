package remote_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/evidence/remote"
	"github.com/planlock/planlock/gate/evidence/search"
)

// store writes a folder as MLflow does, and returns the workspace around it.
func store(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, "mlruns", name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// meta is what MLflow says of a run.
func meta(id, status, stage string) string {
	return "artifact_uri: file:///work/mlruns/0/" + id + "/artifacts\nend_time: 1700000009000\nentry_point_name: ''\n" +
		"experiment_id: '0'\nlifecycle_stage: " + stage + "\nrun_id: " + id + "\nrun_name: \"a:\\\n  \\ b\"\nrun_uuid: " + id +
		"\nsource_type: 4\nstart_time: 1700000000000\nstatus: " + status + "\ntags: []\nuser_id: anna\n"
}

func TestStore(t *testing.T) {
	dir := store(t, map[string]string{
		"0/meta.yaml":                             "experiment_id: '0'\n",
		"0/good/meta.yaml":                        meta("good", "3", "active"),
		"0/good/metrics/loss":                     "1700000000001 0.9 0\n1700000000002 0.5 1\n",
		"0/good/metrics/val/acc":                  "1700000000001 nan 0\n",
		"0/good/artifacts/plots/a.png":            "x",
		"0/good/artifacts/empty":                  "",
		"7/open/meta.yaml":                        meta("open", "1", "active"),
		"7/gone/meta.yaml":                        meta("gone", "3", "deleted"),
		"7/other/meta.yaml":                       meta("another", "3", "active"),
		"7/twice/meta.yaml":                       meta("twice", "4", "active") + "status: 3\n",
		"7/large/meta.yaml":                       strings.Repeat("#", 64<<10+1),
		".trash/dropped/meta.yaml":                meta("dropped", "3", "active"),
		"models/m/version-1/meta.yaml":            "name: m\n",
		"../outside/meta.yaml":                    meta("outside", "3", "active"),
		"0/good/artifacts/../../../../secret.txt": "x",
	})
	if err := os.Symlink(filepath.Join(dir, "outside"), filepath.Join(dir, "mlruns", "0", "linked")); err != nil {
		t.Fatal(err)
	}
	within := (&remote.Store{Dir: "mlruns"}).In(dir)
	run := func(id string) evidence.Need { return evidence.Need{Kind: evidence.Run, Name: id} }
	file := func(name string) evidence.Need {
		return evidence.Need{Kind: evidence.Artifact, Name: name, Want: "good"}
	}
	for name, test := range map[string]struct {
		need  evidence.Need
		state evidence.State
		why   string
	}{
		"finished":                {run("good"), evidence.Found, ""},
		"running":                 {run("open"), evidence.Missing, `"RUNNING", not FINISHED`},
		"deleted":                 {run("gone"), evidence.Missing, "was deleted"},
		"unknown":                 {run("nobody"), evidence.Missing, "knows no run"},
		"another run":             {run("other"), evidence.Unverifiable, `about the run "another"`},
		"said twice":              {run("twice"), evidence.Unverifiable, "says status twice"},
		"too large":               {run("large"), evidence.Unverifiable, "no file of at most"},
		"of a dropped experiment": {run("dropped"), evidence.Missing, "knows no run"},
		"a way out":               {run(".."), evidence.Missing, "knows no run"},
		"through a link":          {run("linked"), evidence.Missing, "knows no run"},
		"artifact":                {file("plots/a.png"), evidence.Found, ""},
		"folder":                  {file("plots"), evidence.Found, ""},
		"no artifact":             {file("plots/b.png"), evidence.Missing, "has no artifact"},
		"empty artifact":          {file("empty"), evidence.Missing, "is empty"},
		"artifact outside":        {file("../../../secret.txt"), evidence.Missing, "has no artifact"},
	} {
		for _, s := range []search.Finder{within, &remote.Store{Dir: filepath.Join(dir, "mlruns")}} {
			if got := s.Look(t.Context(), test.need); got.State != test.state || !strings.Contains(got.Why, test.why) {
				t.Errorf("%s: %s (%s), want %s (%s)", name, got.State, got.Why, test.state, test.why)
			}
		}
	}
	got := within.Look(t.Context(), run("good"))
	if got.Status != "FINISHED" || got.Experiment != "0" || len(got.Metrics) != 1 || got.Metrics["loss"] != 0.5 ||
		got.Started.UnixMilli() != 1700000000000 {
		t.Errorf("%+v", got)
	}
	// A policy looks where the run works.
	policy := &search.Policy{Tracker: &remote.Store{Dir: "mlruns"}}
	if items := policy.Look(t.Context(), dir, nil, []evidence.Need{run("good")}); items[0].State != evidence.Found {
		t.Errorf("%+v", items)
	}
	if items := policy.Look(t.Context(), t.TempDir(), nil, []evidence.Need{run("good")}); items[0].State != evidence.Unverifiable {
		t.Errorf("where there is no folder: %+v", items)
	}
	for _, bad := range []string{"", "../mlruns"} {
		if (&remote.Store{Dir: bad}).Validate() == nil {
			t.Errorf("%q is no store", bad)
		}
	}
}

func TestStoreAt(t *testing.T) {
	for address, want := range map[string]string{"mlruns": "mlruns", "./a/mlruns": "./a/mlruns", "/srv/mlruns": "/srv/mlruns",
		"file:///srv/ml%20runs": "/srv/ml runs", "file:mlruns": "mlruns", "http://127.0.0.1:5000": "", "localhost:5000": "",
		"127.0.0.1:5000": "", "file://host/x": "", "s3://bucket": ""} {
		got, ok := remote.StoreAt(address)
		if ok != (want != "") || ok && filepath.ToSlash(got.Dir) != want {
			t.Errorf("%s: %+v, %t, want %q", address, got, ok, want)
		}
	}
}

// TestMLflowBasic: user and password go to the server and into no message.
func TestMLflowBasic(t *testing.T) {
	const password = "s3cr3t"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, pass, ok := r.BasicAuth(); !ok || user != "anna" || pass != password {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		text, _ := os.ReadFile(filepath.Join("testdata", "mlflow", "finished.json"))
		_, _ = w.Write(text)
	}))
	defer server.Close()
	m := &remote.MLflow{URL: server.URL, UserEnv: "USER_OF_A_TEST", PasswordEnv: "PASSWORD_OF_A_TEST"}
	need := evidence.Need{Kind: evidence.Run, Name: finished}
	t.Setenv("USER_OF_A_TEST", "anna")
	if got := m.Look(t.Context(), need); got.State != evidence.Unverifiable ||
		!strings.Contains(got.Why, "PASSWORD_OF_A_TEST") {
		t.Errorf("without a password: %+v", got)
	}
	t.Setenv("PASSWORD_OF_A_TEST", password)
	if got := m.Look(t.Context(), need); got.State != evidence.Found {
		t.Errorf("with it: %+v", got)
	}
	t.Setenv("PASSWORD_OF_A_TEST", password+"-old")
	if got := m.Look(t.Context(), need); got.State != evidence.Unverifiable || !strings.Contains(got.Why, "status 401") ||
		strings.Contains(got.Why, password) || strings.Contains(got.Why, base64.StdEncoding.EncodeToString([]byte("anna:"+password))) {
		t.Errorf("with another one: %+v", got)
	}
	for _, bad := range []*remote.MLflow{{URL: server.URL, UserEnv: "U"}, {URL: server.URL, PasswordEnv: "P"},
		{URL: server.URL, UserEnv: "U", PasswordEnv: "P", TokenEnv: "T"}} {
		if bad.Validate() == nil {
			t.Errorf("%+v can be asked", bad)
		}
	}
}
