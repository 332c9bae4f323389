package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/postgres"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/pgserver"
)

// TestMain is the service itself where a test starts it as a process.
func TestMain(m *testing.M) {
	if os.Getenv("PLANLOCK_TEST_ROLE") == "service" {
		main()
		return
	}
	os.Exit(m.Run())
}

const head = `schema = 1
non_goals = []
[goal]
description = "Leave a trail"
[[requirements]]
id = "R1"
text = "There is a trail"
[defaults]
requirements = ["R1"]
rollback = "reversible"
on_failure = "ask"
semantic_change = "extending"
limits = { max_files = 1, max_lines = 9 }
[[tasks]]
id = 1
description = "Walk"
`

// trail is a plan whose steps each add a line to a file, and take their time. The
// second step of one that asks also does what it did not declare.
func trail(asks bool) string {
	text := head
	for i, artifacts := range []string{"create", "modify", "modify"} {
		more := ""
		if asks && i == 1 {
			more = " && echo stray > stray.txt"
		}
		text += fmt.Sprintf(`[[tasks.steps]]
id = %d
description = "Take a step"
run = "sleep 0.5 && echo step %[1]d >> trail.txt%s"
artifacts = { %s = ["trail.txt"] }
postconditions = [{ kind = "file_contains", path = "trail.txt", text = "step %[1]d" }]
`, i+1, more, artifacts)
	}
	return text
}

// A process is a service that was started.
type process struct {
	*testing.T
	cmd *osexec.Cmd
	url string
}

func start(t *testing.T, dir, database string) *process {
	t.Helper()
	cmd := osexec.Command(os.Args[0], "-address", "localhost:0", "-dir", dir)
	cmd.Env = append(os.Environ(), "PLANLOCK_TEST_ROLE=service", "DATABASE_URL="+database)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	lines.Scan()
	_, url, ok := strings.Cut(lines.Text(), "listening at ")
	if !ok {
		t.Fatalf("the service said %q", lines.Text())
	}
	return &process{t, cmd, url}
}

// kill ends the service at once, and removes the folders of its runs.
func (p *process) kill(dir string) {
	p.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.Fatal(err)
	}
	if err := pgserver.Ended(p.cmd.Wait()); err != nil {
		p.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		p.Fatal(err)
	}
}

// call sends a request, wants a status, and returns the job that is answered.
func (p *process) call(want int, path, body string) (j job) {
	p.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(p.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != want {
		p.Fatalf("%s %s: %s, want %d: %s (%v)", method, path, got.Status, want, text, err)
	}
	if want == http.StatusOK {
		if err := json.Unmarshal(text, &j); err != nil {
			p.Fatal(err)
		}
	}
	return j
}

// until waits for a job to be as it should.
func (p *process) until(id string, so func(job) bool) (j job) {
	p.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if j = p.call(200, "/jobs/"+id, ""); so(j) {
			return j
		}
	}
	p.Fatalf("the job is %+v", j)
	return j
}

// TestKilled: a service is killed at any moment, twice, and the folders of its
// runs are removed. Each time it goes on with all of them from the database: every
// run achieves its goal, with the right files, and no step that was completed is
// carried out again.
func TestKilled(t *testing.T) {
	server, err := pgserver.New("fsync=off")
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	t.Cleanup(func() { _ = server.Remove() })
	database, dir := server.URL("postgres"), filepath.Join(t.TempDir(), "jobs")
	p := start(t, dir, database)
	p.call(422, "/jobs", "schema = 1\n")
	p.call(404, "/jobs/01K00000000000000000000000", "")
	var ids []string
	for i := range 4 {
		ids = append(ids, p.call(200, "/jobs", trail(i == 0)).ID)
	}
	store, err := postgres.Open(t.Context(), database, postgres.Config{Workspace: "jobs"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	completed := map[string]uint64{} // where the journal says that a step is completed
	for range 2 {
		pause := rand.N(1500 * time.Millisecond)
		time.Sleep(pause)
		p.kill(dir)
		for _, id := range ids {
			for _, s := range stand(t, store, id).Steps {
				if s.Status == history.Completed {
					completed[id+" "+string(s.Address)] = s.EndedAt
				}
			}
		}
		t.Logf("killed after %v: %d steps are completed", pause, len(completed))
		p = start(t, dir, database)
	}
	asks := p.until(ids[0], func(j job) bool { return len(j.Questions) == 1 })
	q := asks.Questions[0]
	at := "/jobs/" + ids[0] + "/answers"
	p.call(400, at, `{"question":"q99","choice":"a","by":"anna"}`)
	p.call(400, at, `{"question":"`+q.ID+`","choice":"a"}`)
	p.call(400, at, `{"question":"`+q.ID+`","choice":"perhaps","by":"anna"}`)
	choice, _ := q.Choice("a")
	words, err := json.Marshal(map[string]string{"question": q.ID, "choice": "a", "by": "anna",
		"reason": "it may stay", "acknowledged": choice.Acknowledge})
	if err != nil {
		t.Fatal(err)
	}
	p.call(200, at, string(words))
	for i, id := range ids {
		p.until(id, func(j job) bool { return j.State == history.Achieved })
		for _, s := range stand(t, store, id).Steps {
			if was, ok := completed[id+" "+string(s.Address)]; ok && was != s.EndedAt {
				t.Errorf("%s: step %s was completed at %d, and again at %d", id, s.Address, was, s.EndedAt)
			}
			for n, a := range s.Attempts {
				if last := n == len(s.Attempts)-1; !last && a.Failure == nil {
					t.Errorf("%s: step %s went on after attempt %d, which succeeded", id, s.Address, a.Number)
				}
			}
		}
		want := map[string]string{"trail.txt": "step 1\nstep 2\nstep 3\n"}
		if i == 0 {
			want["stray.txt"] = "stray\n"
		}
		// Those that ended before a kill have no folder any more: the store has what they made.
		made := workspace(store)
		made.Dir = filepath.Join(t.TempDir(), id)
		if err := made.Rebuild(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			if got, err := os.ReadFile(filepath.Join(made.Dir, name)); err != nil || string(got) != text {
				t.Errorf("%s: %s is %q (%v), want %q", id, name, got, err, text)
			}
		}
	}
}

// workspace is what the database has, seen without a service.
func workspace(store *postgres.Store) exec.Workspace {
	return exec.Workspace{Blobs: store.Blobs(), Runs: store.Runs(), Papers: store.Papers()}
}

// stand is how a run stands in the database.
func stand(t *testing.T, store *postgres.Store, id string) *history.Run {
	t.Helper()
	run, err := workspace(store).History(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return run
}
