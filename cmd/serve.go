package cmd

import (
	"context"
	"fmt"
	"net"

	"github.com/planlock/planlock/cmd/internal/serve"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

// serveCommand is "planlock serve": it shows the runs of a workspace in a
// browser while they go on, and takes answers to what they ask. It prints the
// address, which has a token, and needs neither the workspace nor a controller:
// an answer waits for whoever resumes the run, as one of planlock answer does.
type serveCommand struct {
	arguments
	workspaceFlag
	Listen string `default:"127.0.0.1:0" placeholder:"ADDRESS" help:"where to listen, HOST:PORT or :PORT; this machine alone where it says no other host, and port 0 is a free one"`
	By     string `placeholder:"NAME" help:"who answers; the user by default"`
}

// Run carries the command out.
func (f *serveCommand) Run(ctx context.Context, p *cli) error {
	host, port, err := net.SplitHostPort(f.Listen)
	if err != nil {
		return &usageError{fmt.Sprintf("serve: --listen %q is no HOST:PORT, as in 127.0.0.1:8080", f.Listen)}
	}
	host = orElse(host, "127.0.0.1")
	ws := p.workspace(f.Dir)
	if _, err := ws.IDs(ctx); err != nil { // a folder that is not there has none to show
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		p.warn("other machines can reach this, and what passes between is not encrypted: who reads it can answer for you")
	}
	server := &serve.Server{Workspace: ws, By: orElse(f.By, defaultName()), Now: p.now,
		Say: func(run *history.Run) action.Speller { return spellingOf(run, f.Dir, run.Policy.Given).spell },
		Answer: func(ctx context.Context, run *history.Run, q ask.Question, a ask.Answer) error {
			if err := leave(ctx, p.questions(ws.Dir), q, a); err != nil {
				return err
			}
			_, err := p.withOwners(ctx, run, func(r Runs) error { return r.Give(ctx, run.Started.Run) })
			return err
		}}
	err = server.Serve(ctx, l, host, func(address string) {
		fmt.Fprintln(p.out, address)
		fmt.Fprintln(p.err, "planlock: open that in a browser; Ctrl-C ends it")
	})
	if err == nil {
		err = context.Cause(ctx)
	}
	return watched(ctx, err)
}
