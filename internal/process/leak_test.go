package process_test

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// marked is an assignment that no other process has in its environment.
func marked(t *testing.T) string {
	t.Helper()
	return "PLANLOCK_TEST_MARK=" + rand.Text()
}

// noneLeft fails if a process that was started with mark is alive.
func noneLeft(t *testing.T, mark string) {
	t.Helper()
	for _, pid := range alive(t, mark) {
		line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		t.Errorf("process %s is left: %q", pid, line)
	}
}

// alive are the processes that were started with mark. Zombies have no
// environment.
func alive(t *testing.T, mark string) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	names, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var pids []string
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err == nil && bytes.Contains(content, []byte(mark)) {
			pids = append(pids, filepath.Base(filepath.Dir(name)))
		}
	}
	return pids
}
