package exec_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan/formats"
)

// What other formats say of steps that may run at once is carried out: two of
// them meet before either does anything, and one that comes behind them finds
// what both made.
func TestPlansOfOtherFormatsRunAtOnce(t *testing.T) {
	phase := func(n, wave, file string) string {
		return "---\nphase: 04-lamps\nplan: " + n + "\nwave: " + wave + "\n---\n<objective>Lamps</objective>\n" +
			"<task type=\"auto\">\n<name>Write " + file + "</name>\n<files>" + file + "</files>\n" +
			"<action>Write it.</action>\n<done>It is there.</done>\n</task>\n"
	}
	const parameters = `[goal]
description = "Lamps"
[[speclets]]
id = "left"
depends_on = []
tasks = [1]
parallel_allowed = true
[[speclets]]
id = "right"
depends_on = []
tasks = [2]
parallel_allowed = true
[[speclets]]
id = "last"
depends_on = ["left", "right"]
tasks = [3]
parallel_allowed = false
`
	task := func(id, file string) string {
		return "[[tasks]]\nid = " + id + "\ndescription = \"Write " + file + "\"\n[[tasks.steps]]\nid = 1\n" +
			"description = \"Write " + file + "\"\nprimary_method = \"Write " + file + "\"\ncritical_flag = true\n" +
			"mode = \"silent\"\nmax_retries = 0\naccess = { writes = [\"" + file + "\"] }\n"
	}
	markdown := "## Goal\nLamps\n"
	for i, file := range []string{"a", "b", "c"} {
		markdown += fmt.Sprintf("\n### Task [%d]: Write notes/%s.txt\n- **Step [1]:** Write notes/%s.txt\n"+
			"  - **Primary method:** Write notes/%s.txt\n  - **Critical:** true\n  - **Mode:** silent\n", i+1, file, file, file)
	}
	for i, id := range []string{"left", "right", "last"} {
		markdown += fmt.Sprintf("\n### SPECLet [%s]: Lamps\n**Tasks Included:** [%d]\n", id, i+1)
	}
	for name, files := range map[string]exectest.Files{
		"speclets of one stage": {"spec_lamps.md": markdown, "parameters_lamps.toml": parameters + task("1", "notes/a.txt") +
			task("2", "notes/b.txt") + task("3", "notes/c.txt")},
		"a wave of phase plans": {"04-01-PLAN.md": phase("01", "1", "notes/a.txt"),
			"04-02-PLAN.md": phase("02", "1", "notes/b.txt"), "04-03-PLAN.md": phase("03", "2", "notes/c.txt")},
		"marks of a task list": {"tasks.md": "# Tasks: Lamps\n\n## Phase 1: Notes\n\n" +
			"- [ ] T001 [P] Write notes/a.txt\n- [ ] T002 [P] Write notes/b.txt\n- [ ] T003 Write notes/c.txt\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range files {
				must(t, exectest.Put(dir, name, text))
			}
			b := exectest.New(t, sideBySide(1, ""), nil, nil)
			var err error
			if b.Draft, err = formats.ReadFile(theOne(dir, files)); err != nil {
				t.Fatal(err)
			}
			b.Controller.Jobs = 4
			beside := meeting(2, func(w exec.Work) error { return exectest.Put(w.Dir, noteOf(w), noteOf(w)) })
			b.Controller.Executors = exec.Default(exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if noteOf(w) != "notes/c.txt" {
					return beside(ctx, w)
				}
				for _, made := range []string{"notes/a.txt", "notes/b.txt"} {
					if _, err := os.Stat(filepath.Join(w.Dir, made)); err != nil {
						return exec.Outcome{}, err
					}
				}
				return exec.Outcome{}, exectest.Put(w.Dir, noteOf(w), noteOf(w))
			}))
			r := b.Run(t)
			r.Want(t, history.Partial)
			if groups := r.Report.Run.Groups; len(groups) != 1 || len(groups[0].Steps) != 2 {
				t.Errorf("groups: %+v", groups)
			}
			for _, name := range []string{"notes/a.txt", "notes/b.txt", "notes/c.txt"} {
				if r.Read(t, name) != name {
					t.Errorf("%s is %q", name, r.Read(t, name))
				}
			}
		})
	}
}

// noteOf is the file that a step is asked to write.
func noteOf(w exec.Work) string {
	at := strings.Index(w.Method.Prompt, "notes/")
	return w.Method.Prompt[at : at+len("notes/a.txt")]
}

// theOne is the path of a plan of one file, or of the folder of several.
func theOne(dir string, files exectest.Files) string {
	for name := range files {
		if len(files) == 1 {
			return filepath.Join(dir, name)
		}
	}
	return dir
}
