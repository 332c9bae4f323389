package deliveries

import (
	"testing"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/recorder"
	"github.com/planlock/planlock/exec/internal/session"
)

// Of what .gitignore names only files that it names by themselves are the user's.
func TestNamedAlone(t *testing.T) {
	run := &history.Run{}
	run.Started.Unversioned = []string{"**/*.db", "**/node_modules", "build/**/*", "**/.*"}
	alone := (&Deliveries{Session: &session.Session{Rec: &recorder.Recorder{Run: run}}}).namedAlone()
	for name, want := range map[string]bool{
		"local.db": true, "a/b/local.db": true, ".local": true, "build/app": true,
		"node_modules": true, // a file has that name, or nobody asks: folders are told apart before
		"a.txt":        false, "node_modules/x.db": false, "a/node_modules/b/c.js": false, "build/x/y": false, ".cache/x": false,
	} {
		if got := alone(name); got != want {
			t.Errorf("%s is named by itself: %v, want %v", name, got, want)
		}
	}
}
