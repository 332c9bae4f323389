package exec_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/internal/disk"
)

// A stranger writes a file while something else is restored.
type stranger struct {
	when, file string
	wrote      bool
}

func (s *stranger) Do(op *disk.Op, run func() error) error {
	if strings.HasSuffix(op.Path, s.when) && op.Kind == disk.Remove && !s.wrote {
		s.wrote = true
		if err := os.WriteFile(s.file, []byte("mine\n"), 0o644); err != nil {
			return err
		}
	}
	return run()
}

func (s *stranger) Boot() string { return "test" }

// TestStrangerDuringTheLastRestore has somebody write, while the last attempt
// of a run is undone, where that did not write. No attempt follows that would
// be accounted for; it is found all the same before the run ends.
func TestStrangerDuringTheLastRestore(t *testing.T) {
	text := strings.Replace(twoSteps(), "id = 2\n", "id = 2\ncritical_flag = false\non_failure = \"block\"\n", 1)
	text = strings.Replace(text, "id = 1\ndescription = \"Write the first line\"\n", "id = 1\ncritical_flag = false\ndescription = \"Write the first line\"\n", 1)
	b := exectest.New(t, text, exectest.Files{"other/file": "x\n"}, exectest.Script{
		"1.1": goodScript["1.1"],
		"1.2": exectest.All(exectest.Write("junk", "j"), exectest.Fail("not at all")),
	})
	s := &stranger{when: "junk", file: filepath.Join(b.Dir, "other", "mine")}
	report, err := b.Controller.Run(disk.With(t.Context(), disk.New(s)), b.Lock(t))
	var refused *exec.RefusedError
	if !s.wrote || !errors.As(err, &refused) || !strings.Contains(err.Error(), "other/mine") {
		t.Errorf("somebody wrote: %v; %v\n%s", s.wrote, err, report)
	}
}
