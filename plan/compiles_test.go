package plan_test

import (
	"testing"

	"github.com/planlock/planlock/plan"
)

// TestCanProve holds that a check which merely has something compile, or looks
// whether something is there, can prove nothing.
func TestCanProve(t *testing.T) {
	for run, want := range map[string]bool{
		"go build ./...":                         false,
		"cd app && CGO_ENABLED=0 go build ./...": false,
		"go vet ./... && go build -o /tmp/x .":   false,
		"npx tsc --noEmit":                       false,
		"cargo check":                            false,
		"python3 -m py_compile a.py":             false,
		"bash -n run.sh":                         false,
		"go test -c ./x":                         false,
		"true && swift build":                    false,
		"./mvnw -q clean compile":                false,
		"cmake --build build":                    false,
		"php -l a.php":                           false,
		"mvn test":                               true,
		"mvn -q":                                 true,
		"cmake --build build --target test":      true,
		"go test ./...":                          true,
		"go build -o x . && ./x":                 true,
		"go vet ./... ; go test ./...":           true,
		"npm run build":                          true, // nobody knows what it does
		"python3 -m pytest":                      true,
		"cargo test":                             true,
		"bash run.sh":                            true,
		"cd app":                                 true,
	} {
		if got := (plan.Check{Kind: "command", Run: run}).CanProve(); got != want {
			t.Errorf("%q can prove: %v", run, got)
		}
	}
	if !(plan.Check{Kind: "command", Run: "go vet ./...", StdoutContains: "ok"}).CanProve() {
		t.Error("what a command prints can prove something")
	}
	for kind, want := range map[string]bool{"go_build": false, "go_vet": false, "file_exists": false,
		"go_test": true, "file_contains": true, "symbol_exists": true} {
		if got := (plan.Check{Kind: kind}).CanProve(); got != want {
			t.Errorf("%s can prove: %v", kind, got)
		}
	}
}
