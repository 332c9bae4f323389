package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/exec/agent/agenttest/fake"
	"github.com/planlock/planlock/internal/lazyre"
)

// Key is the key that a [Model] wants where none is given.
const Key = "sk-planlock-stub-0123456789abcdef"

// A Model is a stub server. It answers who has the key, and 401 whoever has not.
type Model struct {
	URL string // as in "http://127.0.0.1:4711"; APIs are below it, as in /v1/messages
	Key string

	server *httptest.Server
	done   chan struct{}

	mu       sync.Mutex
	scripts  []*part
	requests []Request
	calls    int
}

// A Request is one that was made of a [Model].
type Request struct {
	API    string // "anthropic", "responses", "chat", "gemini", or "" for what is none of them
	Method string
	Path   string
	Header http.Header
	Body   string
	Model  string // that was asked for
	// Main says that it is part of the conversation about the work: the model has
	// tools. What agents ask besides, as for a title, takes no turn of a script.
	Main bool
	// Dir is the folder that the agent says it works in, "" where it says none.
	Dir string

	tools  map[string]json.RawMessage
	stream bool
	schema bool
}

// Serve starts a server that lasts as long as the test. The turns are taken in
// order by requests of the conversation, whoever makes them; the last is
// repeated.
func Serve(t testing.TB, turns ...Turn) *Model {
	m := Start(Key, turns...)
	t.Cleanup(m.Close)
	return m
}

// Start starts a server that lasts until it is closed.
func Start(key string, turns ...Turn) *Model {
	m := &Model{Key: key, done: make(chan struct{})}
	m.scripts = []*part{{about: func(Request) bool { return true }, turns: turns}}
	m.server = httptest.NewServer(m)
	m.URL = m.server.URL
	return m
}

// Login are the variables by which an agent of a name talks to the server, its key
// among them; nil of one that is not known.
func (m *Model) Login(agent string) map[string]string {
	switch agent {
	case "claude", "opencode":
		return map[string]string{"ANTHROPIC_API_KEY": m.Key, "ANTHROPIC_BASE_URL": m.URL}
	case "codex":
		return map[string]string{"OPENAI_API_KEY": m.Key, "OPENAI_BASE_URL": m.URL + "/v1"}
	case "gemini":
		return map[string]string{"GEMINI_API_KEY": m.Key, "GOOGLE_GEMINI_BASE_URL": m.URL}
	}
	return nil
}

// Close ends the server, and what hangs.
func (m *Model) Close() {
	close(m.done)
	m.server.CloseClientConnections()
	m.server.Close()
}

// When gives the requests of the conversation that about is true of turns of
// their own.
func (m *Model) When(about func(Request) bool, turns ...Turn) {
	m.give(func(r Request) bool { return r.Main && about(r) }, turns)
}

// WhenAsked is When for requests that need be none of the conversation, as those
// of an agent that is asked for its word and has no tools.
func (m *Model) WhenAsked(about func(Request) bool, turns ...Turn) { m.give(about, turns) }

func (m *Model) give(about func(Request) bool, turns []Turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts = append([]*part{{about: about, turns: turns}}, m.scripts...)
}

// Requests are those that were made, in order.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Conversation are those requests that took a turn.
func (m *Model) Conversation() []Request {
	return slices.DeleteFunc(m.Requests(), func(r Request) bool { return !r.Main })
}

// ServeHTTP answers a request.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	req := Request{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: string(raw)}
	a := apiOf(r.URL.Path)
	if a != nil {
		req.API = a.name
		read(&req, a, r, raw)
	}
	m.mu.Lock()
	m.requests = append(m.requests, req)
	m.mu.Unlock()
	switch {
	case a == nil:
		other(w, r)
	case r.Method != http.MethodPost: // a client that would rather have a WebSocket
		a.fail(w, http.StatusUpgradeRequired, "this server answers POST")
	case !m.knows(r):
		a.fail(w, http.StatusUnauthorized, "invalid x-api-key")
	case strings.HasSuffix(r.URL.Path, "count_tokens"):
		reply(w, map[string]any{"input_tokens": len(raw) / 4})
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		reply(w, map[string]any{"totalTokens": len(raw) / 4})
	case !req.Main && !m.about(req):
		t := Say("Work on the plan")
		if req.schema {
			t = Say(`{"complexity_reasoning":"it is one file","complexity_score":50}`)
		}
		a.answer(w, m, req, t)
	default:
		m.turn(w, r, a, req)
	}
}

// about tells whether turns were given for requests like this one.
func (m *Model) about(req Request) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.scripts[:len(m.scripts)-1], func(p *part) bool { return p.about(req) })
}

// turn answers a request of the conversation.
func (m *Model) turn(w http.ResponseWriter, r *http.Request, a *api, req Request) {
	m.mu.Lock()
	i := slices.IndexFunc(m.scripts, func(s *part) bool { return s.about(req) })
	t := m.scripts[i].take()
	t.Say = fake.Answer(t.Say, req.Body)
	m.mu.Unlock()
	if t.Hang {
		select {
		case <-r.Context().Done():
		case <-m.done:
		}
		return
	}
	if t.Delay > 0 && !wait(r, m, t.Delay) {
		return
	}
	switch {
	case t.TooLong:
		a.tooLong(w)
	case t.Status != 0:
		if t.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(t.RetryAfter.Seconds())))
		}
		a.fail(w, t.Status, t.Say)
	default:
		a.answer(w, m, req, t)
	}
}

// knows tells whether a request has the key.
func (m *Model) knows(r *http.Request) bool {
	given := []string{r.Header.Get("X-Api-Key"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
		r.Header.Get("X-Goog-Api-Key"), r.URL.Query().Get("key")}
	return slices.Contains(given, m.Key)
}

// id is a new one.
func (m *Model) id(prefix string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return fmt.Sprintf("%s_%08d", prefix, m.calls)
}

// other answers what is no API of a model, as lists of models and health checks.
func other(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodHead:
	case strings.HasSuffix(r.URL.Path, "/models"):
		reply(w, map[string]any{"object": "list", "data": []any{}, "models": []any{}})
	default:
		http.Error(w, `{"error":{"type":"not_found_error","message":"not found"}}`, http.StatusNotFound)
	}
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// read finds out what a request is about.
func read(req *Request, a *api, r *http.Request, raw []byte) {
	var b struct {
		Model  string            `json:"model"`
		Stream bool              `json:"stream"`
		Tools  []json.RawMessage `json:"tools"`
		Input  json.RawMessage   `json:"input"`
		Format json.RawMessage   `json:"output_config"`
		Config struct {
			Schema json.RawMessage `json:"responseJsonSchema"`
			Old    json.RawMessage `json:"responseSchema"`
		} `json:"generationConfig"`
	}
	_ = json.Unmarshal(raw, &b)
	req.Model, req.stream = b.Model, b.Stream
	if _, after, ok := strings.Cut(r.URL.Path, "/models/"); ok && req.Model == "" {
		req.Model, _, _ = strings.Cut(after, ":")
	}
	if a.name == "gemini" {
		req.stream = strings.Contains(r.URL.Path, ":stream")
	}
	req.schema = len(b.Config.Schema)+len(b.Config.Old) > 0 || bytes.Contains(b.Format, []byte(`"schema"`))
	var items []json.RawMessage
	_ = json.Unmarshal(b.Input, &items) // or it is a text
	req.tools = toolsOf(append(b.Tools, items...))
	req.Main = len(req.tools) > 0
	for _, form := range places {
		if found := form.FindStringSubmatch(req.Body); found != nil {
			req.Dir = found[1]
			break
		}
	}
}

// places are the forms in which agents say where they work, as it stands in JSON.
var places = []*lazyre.Regexp{
	lazyre.New(`(?i)(?:primary )?working directory: ([^\\"<]+)`),
	lazyre.New(`<cwd>([^<\\]+)</cwd>`),
	lazyre.New(`(?i)current working directory is:? ([^\\"<]+)`),
	lazyre.New(`Workspace Directories:\*\*\\n\s*- ([^\\"<]+)`),
}

// toolsOf are the tools of a request by their names.
func toolsOf(raw []json.RawMessage) map[string]json.RawMessage {
	known := map[string]json.RawMessage{}
	for _, one := range raw {
		var t struct {
			Role         string                 `json:"role"`
			Type         string                 `json:"type"`
			Name         string                 `json:"name"`
			Function     *struct{ Name string } `json:"function"`
			Declarations []json.RawMessage      `json:"functionDeclarations"`
			Tools        []json.RawMessage      `json:"tools"`
		}
		if json.Unmarshal(one, &t) != nil {
			continue
		}
		for _, d := range append(t.Declarations, t.Tools...) {
			for name, r := range toolsOf([]json.RawMessage{d}) {
				known[name] = r
			}
		}
		switch {
		case t.Role != "" || strings.HasSuffix(t.Type, "_call"):
		case t.Function != nil:
			known[t.Function.Name] = one
		case t.Name != "":
			known[t.Name] = one
		}
	}
	return known
}
