package posix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// Statuses of the shell itself, as every sh has them.
const (
	statusUsage    = interp.ExitStatus(2)
	statusNotFound = interp.ExitStatus(127)
)

// Main is the process of a shell. args are those of sh: "-c TEXT [NAME ARG…]"
// with further options before the c, as in -ec, or "FILE [ARG…]". It returns
// the exit status.
func Main(args []string) int {
	s := &shell{dir: ".", env: expand.ListEnviron(os.Environ()...), in: os.Stdin, out: os.Stdout, err: os.Stderr}
	err := s.run(context.Background(), args)
	if exit := interp.ExitStatus(0); errors.As(err, &exit) {
		return int(exit)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "sh:", err)
		return 1
	}
	return 0
}

// run runs what args name. An [interp.ExitStatus] is all that is wrong, and has
// been said.
func (s *shell) run(ctx context.Context, args []string) error {
	options, name, text, rest, err := s.parse(args)
	if err != nil {
		fmt.Fprintln(s.err, "sh:", err)
		return statusUsage
	}
	program, err := syntax.NewParser().Parse(strings.NewReader(text), name)
	if err != nil {
		fmt.Fprintln(s.err, "sh:", err)
		return statusUsage
	}
	runner, err := interp.New(interp.Dir(s.dir), interp.Env(s.env), interp.StdIO(s.in, s.out, s.err),
		interp.Params(slices.Concat(options, []string{"--"}, rest)...), interp.ExecHandlers(own))
	if err != nil {
		fmt.Fprintln(s.err, "sh:", err)
		return statusUsage
	}
	return runner.Run(ctx, program)
}

// parse reads the arguments of sh.
func (s *shell) parse(args []string) (options []string, name, text string, rest []string, err error) {
	if len(args) == 0 || args[0] == "-c" && len(args) == 1 {
		return nil, "", "", nil, errors.New("give -c TEXT, or a file")
	}
	first := args[0]
	if !strings.HasPrefix(first, "-") {
		content, err := os.ReadFile(within(s.dir, first))
		return nil, first, string(content), args[1:], err
	}
	if !strings.HasSuffix(first, "c") || len(args) == 1 {
		return nil, "", "", nil, fmt.Errorf("option %q is not known here; give -c TEXT, or a file", first)
	}
	if first != "-c" {
		options = []string{strings.TrimSuffix(first, "c")}
	}
	name, text, rest = "sh", args[1], args[2:]
	if len(rest) > 0 {
		name, rest = rest[0], rest[1:]
	}
	return options, name, text, rest, nil
}

// own has the commands of this package and the scripts of a shell carried out
// here, and says of what is nothing of that and no program where there are more.
func own(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		hc := interp.HandlerCtx(ctx)
		s := shell{hc.Dir, hc.Env, hc.Stdin, hc.Stdout, hc.Stderr}
		if args[0] == "sh" {
			return s.run(ctx, args[1:])
		}
		if c, ok := commands[args[0]]; ok {
			return s.call(ctx, c, args)
		}
		if isScript(hc.Dir, args[0]) {
			return s.run(ctx, args)
		}
		if _, err := interp.LookPathDir(hc.Dir, hc.Env, args[0]); err != nil {
			fmt.Fprintf(hc.Stderr, "sh: %s: not found; this is planlock's own shell, which knows few commands: "+
				"install Git for Windows, or have another sh in PATH\n", args[0])
			return statusNotFound
		}
		return next(ctx, args)
	}
}

// isScript reports whether a path is that of a script for a shell, which
// Windows cannot start.
func isScript(dir, path string) bool {
	if !strings.Contains(path, "/") {
		return false
	}
	f, err := os.Open(within(dir, path))
	if err != nil {
		return false
	}
	defer f.Close()
	first := make([]byte, 80)
	n, _ := io.ReadFull(f, first)
	line, _, _ := strings.Cut(string(first[:n]), "\n")
	return strings.HasPrefix(line, "#!") && strings.HasSuffix(strings.TrimSpace(strings.TrimSuffix(line, " -e")), "sh")
}
