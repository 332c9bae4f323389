package cmd

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/program"
	"github.com/planlock/planlock/exec/shell"
)

// An agent is a program that carries out steps, known under the name that the
// journal remembers: its path, or the name that plans use.
type agent struct {
	*program.Executor
	as string
}

// Name is what steps may ask for, and what a resumed run looks for.
func (a *agent) Name() string { return a.as }

// executorsHelp is the help of the flag that names executors.
const executorsHelp = "who carries out steps that name nobody: shell, or the `path` of a program; " +
	"NAME=PATH for steps that ask for NAME; may be repeated"

// seatExecutors gives a controller the executors of the command line, and the
// shell, which is always there. fallback is the default where none is named; ""
// is the shell.
func seatExecutors(c *exec.Controller, words []string, fallback string) error {
	c.Executor = &shell.Executor{}
	c.Executors = map[string]exec.Executor{"shell": &shell.Executor{}}
	if fallback != "" && fallback != "shell" {
		c.Executor = newAgent(fallback, fallback)
	}
	chosen := ""
	for _, word := range words {
		name, path, named := strings.Cut(word, "=")
		switch {
		case named && name != "" && path != "" && !strings.ContainsAny(name, `/\`):
			if _, twice := c.Executors[name]; twice {
				return &usageError{fmt.Sprintf("--executor %s=…: there is an executor of this name already", name)}
			}
			c.Executors[name] = newAgent(name, path)
		case word == "":
			return &usageError{"--executor: no name; give shell, the path of a program, or NAME=PATH"}
		case chosen != "":
			return &usageError{fmt.Sprintf("--executor %q: %q is the default already; only NAME=PATH may be repeated", word, chosen)}
		case word == "shell":
			chosen, c.Executor = word, &shell.Executor{}
		default:
			path, err := filepath.Abs(word)
			if err != nil {
				return fmt.Errorf("executor %q: %w", word, err)
			}
			chosen, c.Executor = word, newAgent(path, path)
		}
	}
	if _, ok := c.Executor.(*shell.Executor); ok {
		delete(c.Executors, "shell") // it answers to its name already
	}
	return nil
}

func newAgent(name, path string) *agent {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return &agent{&program.Executor{Args: []string{path}, Name: filepath.Base(path)}, name}
}
