package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/internal/pgserver"
)

// lanes is a plan of so many independent steps, each of which takes a while.
func lanes(n int) string {
	var b strings.Builder
	b.WriteString("schema = 1\nnon_goals = []\ninvariants = []\n[execution]\njobs = 4\n[goal]\ndescription = \"Write files\"\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "[[requirements]]\nid = \"R%d\"\ntext = \"File %d is written\"\n", i, i)
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `[[tasks]]
id = %[1]d
description = "File %[1]d"
[[tasks.steps]]
id = 1
description = "Write it"
run = "sleep 1; printf %[1]d > %[1]d.txt"
requirements = ["R%[1]d"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
artifacts = { create = ["%[1]d.txt"] }
limits = { max_files = 1, max_lines = 1 }
postconditions = [{ kind = "file_contains", path = "%[1]d.txt", text = "%[1]d" }]
`, i)
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "[[speclets]]\nid = \"l%d\"\ntasks = [%d]\nparallel_allowed = true\n", i, i)
	}
	return b.String()
}

// said is what a program prints, read while it goes on.
type said struct {
	mu sync.Mutex
	bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Buffer.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Buffer.String()
}

// TestWorkers has the steps of a run carried out by two workers, which share
// nothing with its owner but the database. One of them is killed at work: its
// steps are the other's then, and nothing is carried out twice.
func TestWorkers(t *testing.T) {
	server, err := pgserver.New("fsync=off")
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	defer server.Remove()
	planlock := programs(t)
	for _, engine := range []string{"postgres", "temporal"} {
		t.Run(engine, func(t *testing.T) {
			if engine == "temporal" {
				engine = "temporal://" + temporalServer(t) + "/default"
			}
			byWorkers(t, planlock, engine, server)
		})
	}
}

// temporalServer starts the development server of Temporal, where its program is
// on PATH, and returns its address.
func temporalServer(t *testing.T) string {
	program, err := exec.LookPath("temporal")
	if err != nil {
		t.Skip("no Temporal:", err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().(*net.TCPAddr)
	free.Close()
	c := exec.Command(program, "server", "start-dev", "--headless", "--port", fmt.Sprint(at.Port), "--log-level", "error")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	})
	for range 300 {
		if conn, err := net.Dial("tcp", at.String()); err == nil {
			conn.Close()
			return at.String()
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the server of Temporal does not answer")
	return ""
}

func byWorkers(t *testing.T, planlock, engine string, server *pgserver.Server) {
	store := "postgres://postgres@/postgres?host=" + server.Dir + "&workspace=" + engine[:8]
	s := &shell{t, planlock, []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	var workers []*exec.Cmd
	var heard []*said
	folder := filepath.Join(t.TempDir(), "work") // of the second
	call := []string{"worker", "--store", store, "--engine", engine, "--jobs", "2"}
	for i := range 2 {
		if i == 1 {
			call = append(call, "--dir", folder, "--cache", "10MB")
		}
		w, out := exec.Command(planlock, call...), &said{}
		w.Dir, w.Env, w.Stdout, w.Stderr = t.TempDir(), append(os.Environ(), s.env...), out, out
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		defer w.Wait() // it was killed, or told to end
		defer w.Process.Kill()
		workers, heard = append(workers, w), append(heard, out)
	}
	go func() {
		for range 600 {
			if strings.Contains(heard[0].String(), "begun") {
				_ = workers[0].Process.Kill() // which its steps do not outlive
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plan.toml"), []byte(lanes(6)), 0o644); err != nil {
		t.Fatal(err)
	}
	out := s.call(dir, 0, "run", "plan.toml", "--store", store, "--engine", engine)
	if !strings.Contains(out, "ACHIEVED") || !strings.Contains(out, "6 proved") {
		t.Errorf("the run:\n%s", out)
	}
	for i := 1; i <= 6; i++ {
		if text, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i, ".txt"))); string(text) != fmt.Sprint(i) {
			t.Errorf("%d.txt: %q %v", i, text, err)
		}
	}
	if !strings.Contains(heard[0].String(), "begun") || strings.Count(heard[1].String(), "msg=done") < 3 {
		t.Errorf("the workers:\n%s\nand\n%s", heard[0], heard[1])
	}
	if n := strings.Count(s.call(dir, 0, "log", "--type", "attempt-started"), "attempt-started"); n != 6 {
		t.Errorf("%d attempts, want 6", n)
	}
	s.call(dir, 0, "verify")
	if kept, err := filepath.Glob(filepath.Join(folder, "cache", "*", "*")); len(kept) < 3 {
		t.Errorf("%d contents are kept: %v", len(kept), err)
	}
	if out := s.call(dir, 6, call...); !strings.Contains(out, folder) || !strings.Contains(out, "name another folder") {
		t.Errorf("another one in its folder:\n%s", out)
	}
	if err := workers[1].Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := workers[1].Wait(); err != nil {
		t.Errorf("a worker that is told to end: %v\n%s", err, heard[1])
	}
}
