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
