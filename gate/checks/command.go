package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/command"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/plan"
)

// shell: a shell command ends with the expected status (0 if nothing is said)
// and prints what it should.
func shell(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	want := 0
	if c.Exit != nil {
		want = *c.Exit
	}
	var seen *search
	cmd := gate.Command{Run: c.Run}
	if c.StdoutContains != "" {
		seen = &search{text: c.StdoutContains}
		cmd.Stdout = seen
	}
	r, err := command.Run(ctx, pass, cmd)
	if err != nil {
		return gate.Verdict{}, err
	}
	v := gate.Holds(fmt.Sprintf("%q ended with status %d", c.Run, r.Exit))
	if r.Exit != want {
		v = gate.Breaks(gate.Finding{Message: fmt.Sprintf("%q ended with status %d, not %d", c.Run, r.Exit, want),
			Expected: fmt.Sprintf("status %d", want), Happened: say.Ended(r)})
	}
	if seen != nil && !seen.found && !strings.Contains(r.Stdout, c.StdoutContains) {
		v.Result = gate.Fail
		v.Findings = append(v.Findings, gate.Finding{Message: fmt.Sprintf("%q did not print %q", c.Run,
			c.StdoutContains),
			Expected: fmt.Sprintf("standard output that contains %q", c.StdoutContains), Happened: say.Tail(r.Stdout)})
	}
	return v, nil
}

// A search looks for a text in a stream of any length, keeping no more of it
// than the text is long.
type search struct {
	text  string
	rest  string
	found bool
}

// Write looks for the text in what comes, also where it is cut between two
// writes. It keeps no more than the text is long.
func (s *search) Write(p []byte) (int, error) {
	if !s.found {
		all := s.rest + string(p)
		s.found = strings.Contains(all, s.text)
		s.rest = all[max(0, len(all)-len(s.text)+1):]
	}
	return len(p), nil
}
