package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What a client may send at once, and have under way.
const (
	maxMessage = 4 << 20 // bytes
	maxCalls   = 16
)

// A Server serves plans and runs of one workspace to one client, as tools and
// resources. It must not be changed once it serves.
type Server struct {
	// Dir is the workspace: paths that a client names are held to it.
	Dir string
	// Version is what the server says of itself.
	Version string
	// By is whose answers they are that come from the client.
	By string
	// Do carries a call out. Several may be under way at once, of which one at
	// most begins or resumes a run.
	Do func(ctx context.Context, c Call) (Said, error)
	// Runs lists the ids of the runs in the workspace, oldest first; nil: none is
	// listed.
	Runs func() ([]string, error)
}

// The causes with which the context of a run ends: the client has gone away, or
// took back the call that waits for the run.
var (
	ErrGone      = errors.New("mcp: the client has gone away")
	ErrTakenBack = errors.New("mcp: the client took its call back")
)

// Serve serves a client on two streams until it goes away or ctx ends. A run
// that goes on then is interrupted, and has ended when Serve returns. The error
// is nil where the client went away of itself.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	serving := &serving{Server: s, ctx: ctx, free: make(chan struct{}, maxCalls),
		in: &input{ReadCloser: in}}
	serving.protocol = sdk.NewServer(&sdk.Implementation{Name: "planlock", Version: s.Version,
		Title: "planlock: plans as contracts"}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{},
		// Later versions let a server ask nothing while a call is under way, and a run asks when it has to.
		SupportedProtocolVersions: []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"},
	})
	for _, t := range tools() {
		serving.protocol.AddTool(t, serving.called)
	}
	serving.addReports()
	session, err := serving.protocol.Connect(ctx, &sdk.IOTransport{Reader: serving.in, Writer: out,
		MaxLineLength: maxMessage}, nil)
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
		cancel(ErrGone)
	case <-ctx.Done():
	}
	serving.rest()
	if gone := context.Cause(ctx); !errors.Is(gone, ErrGone) {
		return gone
	}
	if err != nil {
		return fmt.Errorf("mcp: the client's messages cannot be read: %w", err)
	}
	return nil
}

const instructions = "planlock executes plans as contracts. check a plan, lock it, run it; status and report say what came of it. " +
	"What a person must decide (a question of a run, a code that must be accepted) is put to the person, never to you: " +
	"where the person cannot be asked, the result says what the person has to type."

// serving is a server with its client.
type serving struct {
	*Server
	protocol *sdk.Server
	ctx      context.Context // ends when the client is gone
	free     chan struct{}   // holds a value for each call that is under way
	calls    sync.WaitGroup
	in       *input

	mu  sync.Mutex
	run *underWay // nil: none began yet
}

// input is what a client says; over tells that it says nothing more.
type input struct {
	io.ReadCloser
	over atomic.Bool
}

func (i *input) Read(p []byte) (int, error) {
	n, err := i.ReadCloser.Read(p)
	if err != nil {
		i.over.Store(true)
	}
	return n, err
}

// underWay is a run that goes on in the server, or went on last.
type underWay struct {
	over   chan struct{} // closed at its end
	cancel context.CancelCauseFunc
	id     atomic.Pointer[string] // nil: it has not begun yet
	said   Said
	err    error
}

// document is what is known of a run that goes on.
func (u *underWay) document() json.RawMessage {
	doc := map[string]any{"schema": "planlock.run/1", "status": "running"}
	if id := u.id.Load(); id != nil {
		doc["run"] = *id
	}
	text, _ := json.Marshal(doc) // texts alone
	return text
}

// rest waits until nothing goes on any more.
func (s *serving) rest() {
	s.calls.Wait()
	if u := s.latest(); u != nil {
		<-u.over
	}
}

func (s *serving) latest() *underWay {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

// called carries out a call of a tool. What went wrong is told as the result of
// the tool, so that whoever called it sees it.
func (s *serving) called(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	s.calls.Add(1)
	defer s.calls.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
	select {
	case s.free <- struct{}{}:
		defer func() { <-s.free }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	args, err := parse(Tool(r.Params.Name), r.Params.Arguments)
	if err != nil {
		return failed(err), nil
	}
	c := Call{Tool: Tool(r.Params.Name), Run: args.Run, Question: args.Question, Step: args.Step,
		Attempt: args.Attempt, Shadow: args.Shadow, Person: &person{session: r.Session, by: s.By}}
	if args.Path != "" {
		if c.Path, err = inside(s.Dir, args.Path); err != nil {
			return failed(err), nil
		}
	}
	var said Said
	switch c.Tool {
	case Run:
		said, err = s.goOn(ctx, r, c, args.wait())
	case Status:
		s.await(ctx, args.wait())
		said, err = s.Do(ctx, c)
	default:
		said, err = s.Do(ctx, c)
	}
	if err != nil {
		return failed(err), nil
	}
	return said.result(), nil
}

// goOn begins or resumes a run, and waits for its end, for some time if wait is
// not negative. Where the call is taken back before that, the run is
// interrupted.
func (s *serving) goOn(ctx context.Context, r *sdk.CallToolRequest, c Call, wait waiting) (Said, error) {
	tell, told := telling(s.ctx, r)
	s.mu.Lock()
	if u := s.run; u != nil {
		select {
		case <-u.over:
		default:
			s.mu.Unlock()
			told()
			return Said{}, errors.New("a run is under way already: status says where it stands")
		}
	}
	running, cancel := context.WithCancelCause(s.ctx)
	u := &underWay{over: make(chan struct{}), cancel: cancel}
	s.run = u
	s.mu.Unlock()
	c.Tell, c.Begun = tell, func(run string) { u.id.Store(&run) }
	go func() {
		defer close(u.over)
		defer cancel(nil)
		defer told()
		u.said, u.err = s.Do(running, c)
		s.addReports()
	}()
	select {
	case <-u.over:
	case <-wait.over():
		return Said{Text: "The run goes on. status says where it stands; it waits for the end of the run where wait_seconds is given.",
			Document: u.document()}, nil
	case <-ctx.Done():
		if s.in.over.Load() { // the SDK takes the calls of a client that goes away back
			cancel(ErrGone)
		} else {
			cancel(ErrTakenBack)
		}
		<-u.over
	}
	return u.said, u.err
}

// await waits until no run goes on, for some time.
func (s *serving) await(ctx context.Context, wait waiting) {
	u := s.latest()
	if u == nil || wait.none {
		return
	}
	select {
	case <-u.over:
	case <-wait.over():
	case <-ctx.Done():
	}
}

// failed is the result of a tool that could not do what it is for.
func failed(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true,
		Content: []sdk.Content{&sdk.TextContent{Text: strings.TrimPrefix(err.Error(), "mcp: ")}}}
}

// telling tells the client how a call goes on, if it wants to know; told is
// called when nothing more is to be told. A client that does not read holds
// nobody up: it is told less.
func telling(ctx context.Context, r *sdk.CallToolRequest) (tell func(text string), told func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func(string) {}, func() {}
	}
	const most = 256
	lines := make(chan string, most)
	done := make(chan struct{})
	go func() {
		defer close(done)
		n := 0.0
		for text := range lines {
			n++
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n,
				Message: text}) // a client that is gone is found elsewhere
		}
	}()
	tell = func(text string) {
		select {
		case lines <- text:
		default:
		}
	}
	return tell, func() {
		close(lines)
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
}
