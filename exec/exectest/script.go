package exectest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"sync"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
)

// A Script says what each step does in the workspace. It is an [exec.Executor]:
// a step that is not in it fails.
type Script map[plan.Address]exec.Func

// Execute does what the script says about the step.
func (s Script) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	action, ok := s[w.Step.Address]
	if !ok {
		return exec.Outcome{}, fmt.Errorf("exectest: step %s is not in the script", w.Step.Address)
	}
	return action(ctx, w)
}

// Write writes a file, and makes its folders.
func Write(name, content string) exec.Func {
	return inside(func(root *os.Root) error {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		return root.WriteFile(name, []byte(content), 0o644)
	})
}

// Remove deletes a file or a folder with all that is in it.
func Remove(name string) exec.Func {
	return inside(func(root *os.Root) error { return root.RemoveAll(name) })
}

// inside makes an action of what is done in the workspace and nowhere else.
func inside(do func(*os.Root) error) exec.Func {
	return func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		root, err := os.OpenRoot(w.Dir)
		if err != nil {
			return exec.Outcome{}, err
		}
		defer root.Close()
		return exec.Outcome{}, do(root)
	}
}

// Nothing does nothing, and says that it succeeded.
func Nothing() exec.Func {
	return func(context.Context, exec.Work) (exec.Outcome, error) { return exec.Outcome{}, nil }
}

// Say prints text as the executor's output.
func Say(text string) exec.Func {
	return func(context.Context, exec.Work) (exec.Outcome, error) {
		return exec.Outcome{Output: text, Stdout: text}, nil
	}
}

// Fail fails with a message.
func Fail(message string) exec.Func {
	return func(context.Context, exec.Work) (exec.Outcome, error) {
		return exec.Outcome{}, errors.New(message)
	}
}

// All does several things, until one fails.
func All(actions ...exec.Func) exec.Func {
	return func(ctx context.Context, w exec.Work) (out exec.Outcome, err error) {
		for _, action := range actions {
			o, err := action(ctx, w)
			out.Output += o.Output
			out.Stdout += o.Stdout
			out.Exit = o.Exit
			if err != nil {
				return out, err
			}
		}
		return out, nil
	}
}

// Attempts does one thing at a time: the first at the first attempt, the second
// at the second, and the last one at all that follow.
func Attempts(actions ...exec.Func) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		return actions[min(w.Attempt, len(actions))-1](ctx, w)
	}
}

// Methods does what is scripted for the method that is tried: "primary",
// "backup_1".
func Methods(byName map[string]exec.Func) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		action, ok := byName[w.Method.ID]
		if !ok {
			return exec.Outcome{}, fmt.Errorf("exectest: method %s of step %s is not in the script", w.Method.ID,
				w.Step.Address)
		}
		return action(ctx, w)
	}
}

// A Record counts what an executor was asked to do. The zero value is ready.
type Record struct {
	mu   sync.Mutex
	done []string
}

// Of counts the attempts that are passed on to x.
func (r *Record) Of(x exec.Executor) exec.Executor {
	return exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		r.mu.Lock()
		r.done = append(r.done, fmt.Sprintf("%s#%d %s", w.Step.Address, w.Attempt, w.Method.ID))
		r.mu.Unlock()
		return x.Execute(ctx, w)
	})
}

// Attempts are the attempts so far, as "STEP#ATTEMPT METHOD".
func (r *Record) Attempts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.done...)
}
