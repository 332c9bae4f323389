package process

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate"
)

func TestSecretNames(t *testing.T) {
	for name, want := range map[string]bool{
		"TOKEN": true, "GITHUB_TOKEN": true, "api_key": true, "APIKEY": true, "AWS_SECRET_ACCESS_KEY": true, "DB_PASSWORD": true, "PASSWD": true,
		"GPG_PASSPHRASE": true, "GOOGLE_APPLICATION_CREDENTIALS": true, "KEYS": true, "TOKEN_OF_DEPLOYMENT": true,
		"PATH": false, "KEYBOARD": false, "TOKENIZER": false, "SECRETARY": false, "GOPRIVATE": false, "": false,
		"S": false,
	} {
		if Secret(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	for _, name := range append(append([]string{}, base...), baseWindows...) {
		if Secret(name) {
			t.Errorf("%s, which every command gets, is taken for a secret", name)
		}
	}
}

// TestVeil writes texts in one piece, byte by byte, and cut in two anywhere:
// all show the same, and no value.
func TestVeil(t *testing.T) {
	secrets := secretsOf([]string{"A_TOKEN=abcdefgh", "B_TOKEN=abcdefghij", "C_KEY=line one\nline two", "D_SECRET=aaaaaaab", "SHORT_KEY=1234567", "PATH=/usr/bin:/bin"})
	for text, want := range map[string]string{
		"":                      "",
		"nothing":               "nothing",
		"abcdefgh":              "[A_TOKEN]",
		"abcdefghij":            "[B_TOKEN]",
		"abcdefghi":             "[A_TOKEN]i",
		"xabcdefghabcdefghijx":  "x[A_TOKEN][B_TOKEN]x",
		"abcdefg":               "abcdefg",
		"abcdabcdefghij":        "abcd[B_TOKEN]",
		"line one\nline two":    "[C_KEY]",
		"line one, line two":    "[C_KEY], [C_KEY]",
		"aaaaaaaaaaab":          "aaaa[D_SECRET]",
		"1234567 /usr/bin:/bin": "1234567 /usr/bin:/bin",
		"{\"type\":\"log\",\"text\":\"abcdefgh\"}": "{\"type\":\"log\",\"text\":\"[A_TOKEN]\"}",
	} {
		for cut := range len(text) + 1 {
			var got bytes.Buffer
			v := &veil{secrets: secrets, to: &got}
			v.Write([]byte(text[:cut]))
			v.Write([]byte(text[cut:]))
			v.flush()
			if got.String() != want {
				t.Errorf("%q cut at %d: %q, want %q", text, cut, got.String(), want)
			}
		}
		var got bytes.Buffer
		v := &veil{secrets: secrets, to: &got}
		for i := range len(text) {
			v.Write([]byte{text[i]})
		}
		v.flush()
		if got.String() != want {
			t.Errorf("%q byte by byte: %q, want %q", text, got.String(), want)
		}
	}
}

// A prompt without a newline is shown at once: only what may be a secret waits.
func TestVeilHoldsBackLittle(t *testing.T) {
	var got bytes.Buffer
	v := &veil{secrets: secretsOf([]string{"A_TOKEN=abcdefgh"}), to: &got}
	v.Write([]byte("your name? "))
	if got.String() != "your name? " {
		t.Errorf("shown: %q", got.String())
	}
	v.Write([]byte("ab"))
	v.Write([]byte("c"))
	v.Write([]byte("x"))
	if got.String() != "your name? abcx" {
		t.Errorf("shown: %q", got.String())
	}
}

// TestSecretsStayOutOfOutput is a command that prints what it was given: in its
// environment, as an argument, to both outputs, live too.
func TestSecretsStayOutOfOutput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	const value = "s3cr3t-v4lue"
	for _, run := range []string{
		"env", "echo $DEPLOY_TOKEN", "echo $DEPLOY_TOKEN >&2", "printf s3cr; printf 3t-v4lue", "sh -xc 'echo '$DEPLOY_TOKEN",
		"echo $DEPLOY_TOKEN; exit 3", "yes $DEPLOY_TOKEN | head -c 5000000",
	} {
		var live, errs bytes.Buffer
		r := &Runner{Dir: t.TempDir(), OutputLimit: 64 << 10}
		c := gate.Command{Run: run, Env: []string{"DEPLOY_TOKEN=" + value, "OPEN=" + "not-a-secret"}, Stdout: &live}
		result, err := r.RunLive(context.Background(), c, &errs)
		if err != nil {
			t.Fatal(err)
		}
		all := result.Output + result.Stdout + live.String() + errs.String()
		if strings.Contains(all, value) || !strings.Contains(all, "[DEPLOY_TOKEN]") {
			t.Errorf("%s: %.200q", run, all)
		}
	}
	// What a command does with it is its own business: a file holds what was
	// written.
	r := &Runner{Dir: t.TempDir()}
	if _, err := r.Run(context.Background(), gate.Command{Run: "echo $DEPLOY_TOKEN >file",
		Env: []string{"DEPLOY_TOKEN=" + value}}); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(r.Dir, "file")); err != nil || string(content) != value+"\n" {
		t.Errorf("the file holds %q, %v", content, err)
	}
}
