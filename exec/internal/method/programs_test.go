package method

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrograms(t *testing.T) {
	for run, want := range map[string][]string{
		"":                                           nil,
		"echo one > one.txt":                         {"echo"},
		"go test ./... && go test -run X":            {"go test"},
		"cd web; npm run build | tee log":            {"npm run", "tee"},
		"CGO_ENABLED=0 /usr/bin/go vet ./...":        {"go vet"},
		"git -q commit -m 'go test'":                 {"git commit"},
		"if ! grep -q x f; then sed -i s/x/y/ f; fi": {"grep", "sed"},
		"$EDITOR f; which go; `go env X` y":          {"which"},
		"python3 -m pytest; python run.py":           {"python3 -m pytest", "python"},
		"go --version":                               {"go"},
		"sudo env A=b make test":                     {"make test"},
		"cd x":                                       nil,
	} {
		if diff := cmp.Diff(want, Programs(run)); diff != "" {
			t.Errorf("%s: %s", run, diff)
		}
	}
}
