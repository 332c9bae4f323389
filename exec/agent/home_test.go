package agent_test

import (
	"bytes"
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/agent/agenttest/fake"
)

// token is one that stands in a file.
const token = "sk-ant-oat01-the-token-of-the-test"

// put writes a file of the user.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// get reads a file; "" where there is none.
func get(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// TestHome: the home begins with the user's files, a login that was refreshed goes
// back to the user, and nothing else does.
func TestHome(t *testing.T) {
	const was = `{"claudeAiOauth": {"accessToken": "` + token + `", "expiresAt": 1}}`
	const fresh = `{"claudeAiOauth": {"accessToken": "` + token + `-2", "expiresAt": 2}}`
	const theirs = `{"claudeAiOauth": {"accessToken": "of-another-session-of-the-user", "expiresAt": 3}}`
	tests := []struct {
		name, left string // by the agent in its home
		theirs     string // by the user meanwhile
		want, says string
	}{
		{"refreshed", fresh, "", fresh, ""},
		{"as it was", was, "", was, ""},
		{"no JSON", "token=x", "", was, "is not written back"},
		{"empty", "", "", was, "is not written back"},
		{"another form", `{"other": 1}`, "", was, `has no "claudeAiOauth" any more`},
		{"more than a login", strings.Replace(fresh, `{"c`, `{"hooks": "mine", "c`, 1), "", fresh, ""},
		{"the user logged in again", fresh, theirs, theirs, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			user := cleanHome(t)
			login := filepath.Join(user, ".claude", ".credentials.json")
			put(t, login, was)
			put(t, filepath.Join(user, ".claude", "settings.json"), `{"model": "opus"}`)
			put(t, filepath.Join(user, ".claude", "history.jsonl"), "none of its business\n")
			fake.Install(t, "claude", fake.Turn{Say: "My token is " + token + ".", Home: map[string]string{
				".claude/.credentials.json": test.left, ".claude/settings.json": "{}"}})
			var log bytes.Buffer
			w := work(t, &log)
			w.Activity = func(string) {
				if test.theirs != "" {
					put(t, login, test.theirs)
				}
			}
			if test.theirs != "" {
				fake.Install(t, "claude", fake.Turn{Call: "ls", Say: "Done.", Home: map[string]string{".claude/.credentials.json": test.left}})
			}
			o, err := worker(t, "claude", agent.Options{}).Execute(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			if got := get(t, login); got != test.want {
				t.Errorf("the user's login is now %s", got)
			}
			if info, err := os.Stat(login); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if got := get(t, filepath.Join(user, ".claude", "settings.json")); got != `{"model": "opus"}` {
				t.Errorf("the user's settings are now %s", got)
			}
			if got := get(t, filepath.Join(w.Home, ".claude", "history.jsonl")); got != "" {
				t.Errorf("its home has %q", got)
			}
			if !strings.Contains(log.String(), test.says) {
				t.Errorf("it is not said: %s", log.String())
			}
			if strings.Contains(log.String()+o.Stdout, token) {
				t.Errorf("the token is shown: %s %s", log.String(), o.Stdout)
			}
		})
	}
}

// TestHomeLinks: a link that an agent leaves leads nowhere.
func TestHomeLinks(t *testing.T) {
	user := cleanHome(t)
	login := filepath.Join(user, ".claude", ".credentials.json")
	const was = `{"claudeAiOauth": {"accessToken": "` + token + `"}}`
	put(t, login, was)
	other := filepath.Join(t.TempDir(), "other.json")
	put(t, other, `{"claudeAiOauth": {"accessToken": "what somebody else has there"}}`)
	fake.Install(t, "claude", fake.Turn{Call: "ls", Say: "Done."})
	var log bytes.Buffer
	w := work(t, &log)
	w.Activity = func(string) {
		inside := filepath.Join(w.Home, ".claude", ".credentials.json")
		if err := errors.Join(os.Remove(inside), os.Symlink(other, inside)); err != nil {
			t.Error(err)
		}
	}
	if _, err := worker(t, "claude", agent.Options{}).Execute(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if get(t, login) != was || !strings.Contains(log.String(), "is no file any more") {
		t.Errorf("the login is %s; %s", get(t, login), log.String())
	}
}

// TestHomePipes: a pipe that an agent leaves in place of a login or of settings
// holds nobody up.
func TestHomePipes(t *testing.T) {
	user := cleanHome(t)
	t.Setenv("GEMINI_API_KEY", key)
	login := filepath.Join(user, ".gemini", "oauth_creds.json")
	const was = `{"access_token": "` + token + `"}`
	put(t, login, was)
	fake.Install(t, "gemini", fake.Turn{Call: "ls", Say: "Done."})
	var log bytes.Buffer
	w := work(t, &log)
	w.Activity = func(string) {
		for _, name := range []string{"oauth_creds.json", "settings.json"} {
			path := filepath.Join(w.Home, ".gemini", name)
			if err := errors.Join(os.Remove(path), osexec.Command("mkfifo", path).Run()); err != nil {
				t.Error(err)
			}
		}
	}
	gemini := worker(t, "gemini", agent.Options{})
	if _, err := gemini.Execute(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if get(t, login) != was || !strings.Contains(log.String(), "is no file any more") {
		t.Errorf("the login is %s; %s", get(t, login), log.String())
	}
	w.Activity = nil
	if _, err := gemini.Execute(t.Context(), w); err == nil || !strings.Contains(err.Error(), "settings.json: it is no file any more") {
		t.Errorf("error %v", err)
	}
}

// TestSettings: each agent's home has what turns off what is to be off, and the
// user's settings beside.
func TestSettings(t *testing.T) {
	user := cleanHome(t)
	t.Setenv("GEMINI_API_KEY", key)
	put(t, filepath.Join(user, ".gemini", "settings.json"), `{"ui": {"theme": "dark"}, "general": {"vimMode": true}}`)
	fake.Install(t, "gemini", fake.Turn{Say: "Done."})
	var log bytes.Buffer
	w := work(t, &log)
	if _, err := worker(t, "gemini", agent.Options{}).Execute(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	got := get(t, filepath.Join(w.Home, ".gemini", "settings.json"))
	for _, want := range []string{`"theme":"dark"`, `"vimMode":true`, `"disableAutoUpdate":true`,
		`"usageStatisticsEnabled":false`, `"selectedType":"gemini-api-key"`} {
		if !strings.Contains(got, want) {
			t.Errorf("its settings lack %s: %s", want, got)
		}
	}
}

// TestNeeds are the same whatever is there, and name no key of another provider.
func TestNeeds(t *testing.T) {
	user := cleanHome(t)
	needs, err := worker(t, "opencode", agent.Options{Model: "anthropic/claude", Variables: []string{"MY_PROXY"}}).Needs(t.Context())
	if err != nil || !slices.Contains(needs.Variables, "ANTHROPIC_API_KEY") || slices.Contains(needs.Variables, "OPENAI_API_KEY") ||
		!slices.Contains(needs.Variables, "MY_PROXY") {
		t.Errorf("%q, %v", needs.Variables, err)
	}
	if want := filepath.Join(user, ".local/share/opencode/auth.json"); !slices.Contains(needs.Reads, want) ||
		!slices.Equal(needs.Writes, []string{want}) || !needs.Home || needs.Enforced || len(needs.Off) == 0 {
		t.Errorf("%+v", needs)
	}
}

// TestLook says what is there of an agent.
func TestLook(t *testing.T) {
	user := cleanHome(t)
	t.Setenv("PATH", user)
	claude, _ := agent.Named("claude")
	if s := claude.Look(t.Context()); s.Path != "" || s.LoggedIn != "" || s.Missing != claude.Install {
		t.Errorf("%+v", s)
	}
	fake.Install(t, "claude")
	if s := claude.Look(t.Context()); s.Version != "9.9.9" || s.How != agent.Headless || s.Missing != claude.Login {
		t.Errorf("%+v", s)
	}
	put(t, filepath.Join(user, ".claude", ".credentials.json"), "{}")
	if s := claude.Look(t.Context()); s.LoggedIn != "~/.claude/.credentials.json" || s.Missing != "" {
		t.Errorf("%+v", s)
	}
	t.Setenv("ANTHROPIC_API_KEY", key)
	fake.Install(t, "claude-agent-acp")
	if s := claude.Look(t.Context()); s.LoggedIn != "ANTHROPIC_API_KEY" || s.How != agent.ACP {
		t.Errorf("%+v", s)
	}
	elsewhere := t.TempDir()
	put(t, filepath.Join(elsewhere, "auth.json"), "{}")
	t.Setenv("CODEX_HOME", elsewhere)
	codex, _ := agent.Named("codex")
	if s := codex.Look(t.Context()); s.LoggedIn != "$CODEX_HOME/auth.json" {
		t.Errorf("%+v", s)
	}
}

// TestReads: an agent that somebody describes gets a folder of the user, without
// links that lead around in it, and not all that the user has.
func TestReads(t *testing.T) {
	user := cleanHome(t)
	put(t, filepath.Join(user, ".config", "mine", "deep", "login.json"), "{}")
	if err := os.Symlink("..", filepath.Join(user, ".config", "mine", "deep", "around")); err != nil {
		t.Fatal(err)
	}
	fake.Install(t, "mine", fake.Turn{Say: "Done."})
	run := func(reads string) (string, error) {
		var log bytes.Buffer
		w := work(t, &log)
		_, err := worker(t, "mine", agent.Options{Custom: &agent.Custom{Args: []string{"mine"}, Reads: []string{reads}}}).
			Execute(t.Context(), w)
		return w.Home, err
	}
	home, err := run("~/.config/mine")
	if err != nil || get(t, filepath.Join(home, ".config/mine/deep/login.json")) != "{}" {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(filepath.Join(home, ".config/mine/deep/around")); err == nil {
		t.Error("it has a folder twice")
	}
	for i := range 2001 {
		put(t, filepath.Join(user, "many", strconv.Itoa(i)), "")
	}
	if _, err := run("many"); err == nil || !strings.Contains(err.Error(), "more than 2000 files") {
		t.Errorf("error %v", err)
	}
}
