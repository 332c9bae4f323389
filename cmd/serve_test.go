package cmd_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestServe: a question is answered in the page, and the run goes on with it.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plan.toml"), []byte(asking), 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, dir, 5, "run", filepath.Join(dir, "plan.toml"), "--answers", "wait")
	server := exec.Command("planlock", "serve", "--dir", dir, "--by", "ana")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(strings.TrimSpace(address))
	if err != nil || net.ParseIP(at.Hostname()) == nil || !net.ParseIP(at.Hostname()).IsLoopback() {
		t.Fatalf("the address is %q, %v", address, err)
	}

	taken := exec.Command("planlock", "serve", "--dir", dir, "--listen", at.Host)
	if said, _ := taken.CombinedOutput(); taken.ProcessState.ExitCode() != 6 ||
		!strings.Contains(string(said), "address already in use") || !strings.Contains(string(said), "--listen 127.0.0.1:0") {
		t.Errorf("a port in use: status %d\n%s", taken.ProcessState.ExitCode(), said)
	}

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: 20 * time.Second}
	read := func(answer *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %v\n%s", answer.StatusCode, err, text)
		}
		return string(text)
	}
	read(browser.Get(at.String()))
	run := regexp.MustCompile(`href="(/runs/[^"]+)"`).FindStringSubmatch(read(browser.Get("http://" + at.Host)))
	if run == nil {
		t.Fatal("the list has no run")
	}
	form := url.Values{"choice": {"w"}}
	page := read(browser.Get("http://" + at.Host + run[1]))
	for _, field := range regexp.MustCompile(`name="([a-z]+)" value="([^"]*)">`).FindAllStringSubmatch(page, -1) {
		if field[1] != "choice" {
			form.Set(field[1], field[2])
		}
	}
	if page := read(browser.PostForm("http://"+at.Host+run[1], form)); !strings.Contains(page, "Answered: w (") ||
		!strings.Contains(page, "by ana") || !strings.Contains(page, "planlock resume") {
		t.Errorf("after the answer the page says:\n%s", page)
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if server.Wait(); server.ProcessState.ExitCode() != 130 {
		t.Errorf("the server ended with status %d", server.ProcessState.ExitCode())
	}
	command(t, dir, 3, "resume", "--answers", "wait")
}

// TestServeIsRefused: what cannot be served is said at once.
func TestServeIsRefused(t *testing.T) {
	dir := t.TempDir()
	command(t, dir, 2, "serve", "--listen", "nowhere")
	command(t, dir, 6, "serve", "--dir", filepath.Join(dir, "nothing"))
}
