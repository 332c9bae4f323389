package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/sandbox"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process/output"
	"github.com/planlock/planlock/plan"
)

// Servers are tool servers that files configure; see [ReadFiles]. They are those
// of a controller: exec.Controller.Servers.
type Servers struct {
	// Dir is the workspace: what a file says of programs and folders is relative to
	// it.
	Dir string
	// Timeout is how long a server has to start and to say what its tools are; 0: 8 s.
	Timeout time.Duration
	// TerminateDuration is how long a server has to end when nothing more is wanted
	// of it, before it is ended; 0: 300 ms.
	TerminateDuration time.Duration

	known map[string]configured
	fault error // of the file of the repository
}

var _ exec.ToolServers = (*Servers)(nil)

// A ServerError says what is wrong with a server.
type ServerError struct {
	Name string
	Is   string // Missing, Dead, Garbage, Hung or Refused
	Why  string
}

// What can be wrong with a server.
const (
	Missing = "missing" // nothing of that name, or its program or address is not there
	Dead    = "dead"    // it ended by itself
	Garbage = "garbage" // what it says is not the protocol
	Hung    = "hung"    // it says nothing within its time
	Refused = "refused" // it says no, or the sandbox does not let it be reached
)

func (e *ServerError) Error() string {
	return fmt.Sprintf("mcp: tool server %q is %s: %s", e.Name, e.Is, e.Why)
}

// Look is of [exec.ToolServers]. It starts the server in a folder of its own that
// is empty: the workspace can be read and not written.
func (s *Servers) Look(ctx context.Context, p *plan.Plan, name string) (version string, err error) {
	c, ok := s.known[name]
	if !ok {
		return "", cmp.Or(s.fault, error(&ServerError{name, Missing, "no file configures it"}))
	}
	var runner gate.CommandRunner
	if c.Command != "" {
		folder, err := os.MkdirTemp("", "planlock-mcp-")
		if err != nil {
			return "", fmt.Errorf("mcp: %w", err)
		}
		defer os.RemoveAll(folder)
		boxed, err := sandbox.Runner(p, folder)
		if err != nil {
			return "", fmt.Errorf("mcp: %w", err)
		}
		defer boxed.Close()
		runner = boxed
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.Timeout, 8*time.Second))
	defer cancel()
	open, err := s.open(ctx, name, place{runner: runner, dir: s.Dir, sandbox: p.Sandbox}, nil)
	if err != nil {
		return "", err
	}
	defer open.close()
	tools, err := open.tools(ctx)
	if err != nil {
		return "", err
	}
	return open.version(tools, c.digest), open.fit(p, tools)
}

// A place is where a server is started.
type place struct {
	runner  gate.CommandRunner
	dir     string // its folder, and the one that it may work in
	root    string // that folder as it sees it; "": it is told of none
	sandbox plan.Sandbox
}

// open is a server that was started, and speaks.
type open struct {
	name    string
	session *sdk.ClientSession
	running *running       // nil: it runs elsewhere
	visit   *visit         // how it is reached there
	veil    output.Secrets // which stand in nothing that is said of it or by it
}

// open starts a server and says hello. It ends when ctx does, at the latest.
func (s *Servers) open(ctx context.Context, name string, at place, progress func(string)) (*open, error) {
	c, ok := s.known[name]
	if !ok {
		return nil, &ServerError{name, Missing, "no file configures it"}
	}
	o := &open{name: name, veil: c.secrets()}
	//lint:ignore SA1019 servers of files ask for the roots, which work until 2027 at least
	roots := &sdk.RootCapabilities{}
	client := sdk.NewClient(&sdk.Implementation{Name: "planlock", Version: exec.Version()}, &sdk.ClientOptions{
		//lint:ignore SA1019 as above
		Capabilities: &sdk.ClientCapabilities{RootsV2: roots},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			if progress != nil {
				progress(o.veil.Replace(strings.TrimSpace(name + " " + r.Params.Message)))
			}
		}})
	if at.root != "" && c.URL == "" {
		//lint:ignore SA1019 as above
		client.AddRoots(&sdk.Root{URI: "file://" + filepath.ToSlash(at.root), Name: "workspace"})
	}
	transport, err := s.transport(ctx, c, o, at)
	if err != nil {
		return nil, err
	}
	o.session, err = client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return nil, o.fault(ctx, err)
	}
	return o, nil
}

// transport starts a server, or says how it is reached.
func (s *Servers) transport(ctx context.Context, c configured, o *open, at place) (sdk.Transport, error) {
	if c.URL != "" {
		if at.sandbox.Level == "strict" || at.sandbox.Level != "none" && at.sandbox.Network != nil && !*at.sandbox.Network {
			return nil, &ServerError{o.name, Refused, "it is reached by the network, and the sandbox of the plan has none"}
		}
		visit, transport, err := visiting(c, cmp.Or(s.TerminateDuration, 300*time.Millisecond))
		if err != nil {
			return nil, &ServerError{o.name, Missing, err.Error()}
		}
		o.visit = visit
		return transport, nil
	}
	args := []string{expanded(c.Command)}
	for _, a := range c.Args {
		args = append(args, expanded(a))
	}
	if strings.ContainsRune(args[0], filepath.Separator) && !filepath.IsAbs(args[0]) {
		args[0] = filepath.Join(at.dir, args[0])
	}
	var env []string
	for name, value := range c.Env {
		env = append(env, name+"="+expanded(value))
	}
	slices.Sort(env)
	dir := at.dir
	if c.Cwd != "" {
		if dir = expanded(c.Cwd); !filepath.IsAbs(dir) {
			dir = filepath.Join(at.dir, dir)
		}
	}
	o.running = start(ctx, at.runner, gate.Command{Args: args, Env: env, Dir: dir},
		cmp.Or(s.TerminateDuration, 300*time.Millisecond))
	return &sdk.IOTransport{Reader: o.running.out, Writer: o.running.in, MaxLineLength: maxMessage}, nil
}

// running is a program that speaks on its standard streams.
type running struct {
	in    *io.PipeWriter
	out   *io.PipeReader
	end   context.CancelFunc
	grace time.Duration

	ended  chan struct{} // closed at its end
	result gate.CommandResult
	err    error
}

// start starts a program; the runner sees to its end.
func start(ctx context.Context, runner gate.CommandRunner, c gate.Command, grace time.Duration) *running {
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	ctx, end := context.WithCancel(context.WithoutCancel(ctx)) // close ends it, once it was told
	r := &running{in: in, out: out, end: end, grace: grace, ended: make(chan struct{})}
	c.Stdin, c.Stdout = stdin, stdout
	go func() {
		defer close(r.ended)
		r.result, r.err = runner.Run(ctx, c)
		stdin.Close()
		stdout.Close()
	}()
	return r
}

// close has the program end: by the end of its input, or by force.
func (r *running) close() {
	r.in.Close()
	r.out.CloseWithError(io.ErrClosedPipe)
	timer := time.NewTimer(r.grace)
	defer timer.Stop()
	select {
	case <-r.ended:
	case <-timer.C:
	}
	r.end()
	<-r.ended
}

// close ends the session, and the server.
func (o *open) close() {
	if o.running != nil {
		o.running.close()
	}
	if o.session != nil {
		o.session.Close()
	}
}

// fault says what is wrong with a server that did not answer as it must, and ends
// it.
func (o *open) fault(ctx context.Context, err error) error {
	e := &ServerError{Name: o.name, Is: Garbage, Why: err.Error()}
	over := ctx.Err() != nil
	if o.running == nil {
		if o.session != nil {
			o.session.Close()
		}
		switch {
		case over && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
			e.Is, e.Why = Hung, "it said nothing within its time"
		case over:
			return context.Cause(ctx)
		default:
			e = o.visit.fault(o.name, err)
		}
		e.Why = o.veil.Replace(e.Why)
		return e
	}
	died := false
	select {
	case <-o.running.ended:
		died = true
	case <-time.After(50 * time.Millisecond): // one that is about to end
		select {
		case <-o.running.ended:
			died = true
		default:
		}
	}
	o.close()
	r := o.running
	tail := strings.TrimSpace(o.veil.Replace(r.result.Output)) // before it is cut
	if tail = tail[max(0, len(tail)-400):]; tail != "" {
		tail = fmt.Sprintf("; its last output: %q", strings.ToValidUTF8(tail, ""))
	}
	switch {
	case over && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		e.Is, e.Why = Hung, "it said nothing within its time"+tail
	case over:
		return context.Cause(ctx)
	case r.err != nil && r.result.Exit == -1 && died:
		e.Is, e.Why = Missing, "it could not be started: "+r.err.Error()
	case died && (r.result.Exit == 126 || r.result.Exit == 127):
		e.Is, e.Why = Missing, fmt.Sprintf("it could not be started: exit status %d%s", r.result.Exit, tail)
	case died && (errors.Is(err, io.EOF) || strings.Contains(err.Error(), "EOF") || errors.Is(err, sdk.ErrConnectionClosed)) &&
		r.result.Stdout == "":
		e.Is, e.Why = Dead, fmt.Sprintf("it ended with exit status %d before it said anything%s", r.result.Exit, tail)
	default:
		e.Why = "what it says is not the protocol: " + err.Error() + tail
	}
	e.Why = o.veil.Replace(e.Why)
	return e
}

// tools are all tools of the server, by their names.
func (o *open) tools(ctx context.Context) (all []*sdk.Tool, err error) {
	const most = 10_000
	for t, err := range o.session.Tools(ctx, nil) {
		if err != nil {
			return nil, o.fault(ctx, err)
		}
		if all = append(all, t); len(all) > most {
			return nil, &ServerError{o.name, Garbage, fmt.Sprintf("it has more than %d tools", most)}
		}
	}
	slices.SortFunc(all, func(a, b *sdk.Tool) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// version says which server it is, and what its tools are.
func (o *open) version(tools []*sdk.Tool, digest string) string {
	h := sha256.New()
	for _, t := range tools {
		text, err := json.Marshal([]any{t.Name, t.Description, t.InputSchema, t.OutputSchema})
		if err != nil {
			text = []byte(err.Error())
		}
		shown := o.veil.Replace(string(text))
		fmt.Fprintf(h, "%d:%s", len(shown), shown)
	}
	is := "a server without a name"
	if i := o.session.InitializeResult().ServerInfo; i != nil {
		is = fmt.Sprintf("%.100q %.100q", o.veil.Replace(i.Name), o.veil.Replace(i.Version))
	}
	return fmt.Sprintf("%s, %d tools sha256:%s, configured as sha256:%s", is, len(tools), hex.EncodeToString(h.Sum(nil)),
		digest)
}
