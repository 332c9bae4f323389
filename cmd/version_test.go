package cmd

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestVersion: a build in a checkout tells its commit, and one of a module says
// nothing of what it does not know.
func TestVersion(t *testing.T) {
	built := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ")"
	vcs := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123456789abcdef0123"},
		{Key: "vcs.time", Value: "2026-11-20T08:30:00Z"}, {Key: "vcs.modified", Value: "true"}}
	if got, want := newVersion("devel", vcs).String(), "planlock devel (commit 0123456789ab, modified; "+built; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := newVersion("v1.2.3", nil).String(), "planlock v1.2.3 ("+built; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	status, out, _ := call(t, "version", "--format", "json")
	var doc map[string]any
	if err := json.Unmarshal([]byte(out), &doc); err != nil || status != 0 || doc["schema"] != "planlock.version/1" ||
		doc["version"] != "devel" || doc["go"] != runtime.Version() {
		t.Errorf("%d: %v\n%s", status, err, out)
	}
}
