package checks

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/command"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
)

// envSet: the variable has a value that is not empty, in the environment of
// this process. The value is never shown.
func envSet(_ context.Context, _ *gate.Pass, c plan.Check) (gate.Verdict, error) {
	if os.Getenv(c.Name) == "" {
		return gate.Breaks(gate.Finding{Message: fmt.Sprintf("the environment variable %q is not set, or empty",
			c.Name)}), nil
	}
	return gate.Holds(fmt.Sprintf("%q is set", c.Name)), nil
}

// toolAvailable: the program is found; if version is given, what it says of its
// version fits. The program is run only for the second, with --version, or
// version if it does not know that.
func toolAvailable(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	name := c.Name
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		name = filepath.Join(pass.Dir, name)
	}
	found, err := osexec.LookPath(name)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil {
		return gate.Breaks(gate.Finding{Message: fmt.Sprintf("the program %q is not found", c.Name),
			Happened: err.Error()}), nil
	}
	if c.Version == "" {
		return gate.Holds(fmt.Sprintf("%q is %q", c.Name, found)), nil
	}
	said, err := versionText(ctx, pass, found)
	if err != nil {
		return gate.Verdict{}, err
	}
	if !fits(c.Version, said) {
		return gate.Breaks(gate.Finding{Message: fmt.Sprintf("the program %q is not of version %q", c.Name,
			c.Version), Expected: c.Version, Happened: say.Tail(said)}), nil
	}
	line, _, _ := strings.Cut(said, "\n")
	return gate.Holds(fmt.Sprintf("%q says %q", c.Name, line)), nil
}

// versionText is what a program says of its version: the first of the usual
// ways to ask that it answers. The error means that it could not be run.
func versionText(ctx context.Context, pass *gate.Pass, program string) (string, error) {
	var failed error
	for _, arg := range []string{"--version", "version"} {
		r, err := command.Version(ctx, pass, program, arg)
		if err != nil {
			return "", err
		}
		if r.Exit == 0 && strings.TrimSpace(r.Output) != "" {
			return strings.TrimSpace(r.Output), nil
		}
		failed = errors.Join(failed, fmt.Errorf("checks: %q %s: %s", program, arg, say.Ended(r)))
	}
	return "", failed
}

var dotted = lazyre.New(`\d+(\.\d+)+`)

// fits reports whether what a program says of its version fits what is asked
// for: ">=1.25" compares the first dotted number, anything else must stand in
// the text, and not as the beginning or end of a longer number ("1.2" fits 1.2.7,
// but not 1.25).
func fits(want, said string) bool {
	if least, ok := strings.CutPrefix(want, ">="); ok {
		return atLeast(dotted.FindString(said), strings.TrimSpace(least))
	}
	for rest := said; ; {
		i := strings.Index(rest, want)
		if i < 0 {
			return false
		}
		before, after := rest[:i], rest[i+len(want):]
		if !endsNumber(before, want) && !beginsNumber(want, after) {
			return true
		}
		rest = rest[i+1:]
	}
}

// endsNumber reports whether a number goes on from before into what is wanted,
// as that of 11.2 does into 1.2.
func endsNumber(before, want string) bool {
	if before == "" || !digit(want[0]) {
		return false
	}
	last := before[len(before)-1]
	return digit(last) || last == '.'
}

// beginsNumber reports whether the last number of what is wanted goes on behind
// it, as 1.2 does in 1.25.
func beginsNumber(want, after string) bool {
	return after != "" && digit(want[len(want)-1]) && digit(after[0])
}

// digit reports whether a byte is one of 0 to 9.
func digit(b byte) bool { return b >= '0' && b <= '9' }

// atLeast compares dotted numbers; what is not there counts as 0.
func atLeast(got, least string) bool {
	if got == "" {
		return false
	}
	g, l := strings.Split(got, "."), strings.Split(least, ".")
	for i := range max(len(g), len(l)) {
		a, b := part(g, i), part(l, i)
		if a != b {
			return a > b
		}
	}
	return true
}

// part is a number of a version; one that is not there, or is no number, counts
// as 0.
func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}
