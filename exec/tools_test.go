package exec_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// tooled is twoSteps with tools.
func tooled(verification string) string {
	return strings.Replace(twoSteps(), "[defaults]", "[mcp_tools]\nrequired = [{ name = \"github\", version = \"1\" }, \"postgres\"]\nrecommended = \"playwright\"\noptional = [\"notion\"]\n"+
		"[mcp_tools.verification]\n"+verification+"\n[defaults]", 1)
}

func TestTools(t *testing.T) {
	const v, m, l = "verified", "missing", "listed"
	for _, tt := range []struct {
		name, verification string
		missing            []string
		nobody             bool
		refused            bool
		want               []string // of github, postgres, playwright, notion
		warnings           int
		looked             int
	}{
		{name: "all are there", want: []string{v, v, v, l}, looked: 3},
		{name: "a required one is missing", missing: []string{"postgres"}, refused: true, looked: 3},
		{name: "a required one is missing, and that may be", verification: "halt_if_required_missing = false",
			missing: []string{"postgres"}, want: []string{v, m, v, l}, warnings: 1, looked: 3},
		{name: "a recommended one is missing", missing: []string{"playwright"}, want: []string{v, v, m, l},
			warnings: 1, looked: 3},
		{name: "a recommended one is missing, and nobody minds", verification: "warn_if_recommended_missing = false",
			missing: []string{"playwright"}, want: []string{v, v, m, l}, looked: 3},
		{name: "an optional one is missing", missing: []string{"notion"}, want: []string{v, v, v, l}, looked: 3},
		{name: "nobody is to look", verification: "check_on_startup = false", missing: []string{"github"},
			want: []string{l, l, l, l}},
		{name: "nobody can look", nobody: true, want: []string{l, l, l, l}, warnings: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := exectest.New(t, tooled(tt.verification), workspace, goodScript)
			looked := 0
			if !tt.nobody {
				b.Controller.Tools = func(_ context.Context, name string) error {
					looked++
					if slices.Contains(tt.missing, name) {
						return errors.New("no server of that name is configured")
					}
					return nil
				}
			}
			report, err := b.Controller.Run(context.Background(), b.Lock(t))
			if looked != tt.looked {
				t.Errorf("looked for %d tools, want %d", looked, tt.looked)
			}
			var refused *exec.RefusedError
			if errors.As(err, &refused) != tt.refused {
				t.Fatalf("got %v, refused %v is wanted", err, tt.refused)
			}
			if tt.refused {
				if len(refused.Reasons) != 1 || !strings.Contains(refused.Error(), "postgres") ||
					!strings.Contains(refused.Hint, "postgres") {
					t.Errorf("the refusal is %v, hint %q", refused, refused.Hint)
				}
				if ids, err := (exec.Workspace{Dir: b.Dir}).IDs(t.Context()); err != nil || len(ids) != 0 {
					t.Errorf("a run was begun: %v, %v", ids, err)
				}
				return
			}
			var got []string
			for _, tool := range report.Run.Started.Tools {
				got = append(got, tool.Status)
				if (tool.Why != "") != (tool.Status == m) {
					t.Errorf("tool %+v", tool)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			warned := slices.DeleteFunc(slices.Clone(report.Run.Started.Warnings),
				func(w string) bool {
					return !strings.HasPrefix(w, "tool ") && !strings.Contains(w, "github (required), postgres (required), playwright (recommended)")
				})
			if len(warned) != tt.warnings || report.Status() != history.Achieved {
				t.Errorf("warnings %q, status %s", warned, report.Status())
			}
		})
	}
}

// Tool servers that are named by a table of their own, and twice, are each one.
func TestToolsNamedByTables(t *testing.T) {
	text := strings.Replace(twoSteps(), "[defaults]", "[mcp_tools]\noptional = [\"github\", \"notion\"]\n"+
		"[mcp_tools.required.github]\ninstall = \"npm install github\"\n[defaults]", 1)
	b := exectest.New(t, text, workspace, goodScript)
	b.Controller.Tools = func(context.Context, string) error { return errors.New("it is gone") }
	_, err := b.Controller.Run(context.Background(), b.Lock(t))
	var refused *exec.RefusedError
	if !errors.As(err, &refused) || len(refused.Reasons) != 1 ||
		!strings.Contains(refused.Reasons[0], `tool "github" is required by the plan and is not there: it is gone; the plan installs it by  npm install github`) {
		t.Errorf("got %v", err)
	}
}

// A run goes on only while its tools are there.
func TestToolsBeforeARunGoesOn(t *testing.T) {
	gone := false
	b := exectest.New(t, tooled(""), workspace, exectest.Script{"1.1": goodScript["1.1"], "1.2": goodScript["1.2"]})
	b.Controller.Tools = func(context.Context, string) error {
		if gone {
			panic("no client")
		}
		return nil
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	b.Controller.Observe = event.On(func(event.Event, *history.StepCompleted) { cancel(errors.New("stop")) })
	locked := b.Lock(t)
	if _, err := b.Controller.Run(ctx, locked); err == nil {
		t.Fatal("the run was not stopped")
	}
	gone = true
	var refused *exec.RefusedError
	if _, err := b.Controller.Resume(context.Background(), locked, ""); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "no client") {
		t.Fatalf("got %v, want a refusal", err)
	}
	gone = false
	if report, err := b.Controller.Resume(context.Background(), locked, ""); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
}

// Nobody waits longer than ten seconds for an answer, also from what heeds no time.
func TestToolsHaveTenSeconds(t *testing.T) {
	for _, heeds := range []bool{true, false} {
		for _, takes := range []time.Duration{10*time.Second - time.Millisecond, 25 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				b := exectest.New(t, tooled(""), workspace, goodScript)
				b.Controller.Tools = func(ctx context.Context, name string) error {
					if name != "github" {
						return nil
					}
					if !heeds {
						time.Sleep(takes)
						return nil
					}
					select {
					case <-ctx.Done():
						return context.Cause(ctx)
					case <-time.After(takes):
						return nil
					}
				}
				_, err := b.Controller.Run(context.Background(), b.Lock(t))
				time.Sleep(takes) // what is not waited for goes on
				if late := takes > 10*time.Second; late != (err != nil) {
					t.Errorf("heeds its time: %v, after %s: %v", heeds, takes, err)
				}
			})
		}
	}
}
