package agenttest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
)

// A message of JSON-RPC.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

// A server speaks the Agent Client Protocol for a small agent.
type server struct {
	one     sync.Mutex
	asked   int
	answers map[string]chan message
	agent   *small
	session string
	mode    string
}

// modes are those of a session: it asks in the first, and begins with the second.
var modes = object{"currentModeId": "auto", "availableModes": []any{object{"id": "default", "name": "Manual"},
	object{"id": "auto", "name": "Auto"}}}

// serve acts as "claude-agent-acp".
func serve() int {
	s := &server{answers: map[string]chan message{}}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 8<<20)
	for in.Scan() {
		var m message
		if json.Unmarshal(in.Bytes(), &m) != nil {
			continue
		}
		s.take(m)
	}
	return 0
}

// take takes a message. What takes its time is done beside others.
func (s *server) take(m message) {
	var p struct {
		Session string `json:"sessionId"`
		Dir     string `json:"cwd"`
		Mode    string `json:"modeId"`
		Prompt  []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	}
	_ = json.Unmarshal(m.Params, &p)
	switch m.Method {
	case "":
		s.one.Lock()
		if to := s.answers[string(m.ID)]; to != nil {
			to <- m
		}
		s.one.Unlock()
	case "initialize":
		s.answer(m, object{"protocolVersion": 1, "agentCapabilities": object{"loadSession": true},
			"agentInfo": object{"name": "small", "version": "1.0.0"}, "authMethods": []any{}})
	case "session/new":
		s.session = newSession()
		s.agent = s.begin(p.Dir)
		s.answer(m, object{"sessionId": s.session, "modes": modes})
	case "session/load":
		s.session = p.Session
		s.agent = s.begin(p.Dir)
		if err := s.agent.load(p.Session); err != nil {
			s.fail(m, -32602, err.Error())
			return
		}
		s.answer(m, object{"modes": modes})
	case "session/set_mode":
		s.mode = p.Mode
		s.answer(m, object{})
	case "session/prompt":
		all := ""
		for _, part := range p.Prompt {
			all += part.Text
		}
		go s.prompt(m, all)
	case "session/cancel":
		os.Exit(0) // nothing that it began goes on
	default:
		s.answer(m, object{})
	}
}

// begin begins with a conversation that asks before it does anything.
func (s *server) begin(dir string) *small {
	a := &small{dir: dir}
	s.mode = "auto"
	a.may = func(u toolUse) bool {
		if s.mode == "auto" {
			return true
		}
		call := object{"toolCallId": u.ID, "title": u.Name, "status": "pending", "kind": "edit",
			"locations": []any{object{"path": u.Input.Path}}}
		if u.Name == "Bash" {
			call["kind"], call["locations"], call["rawInput"] = "execute", []any{}, object{"command": u.Input.Command}
		}
		return s.allowed(call)
	}
	a.seen = func(said string, u *toolUse, result string, failed bool) {
		if u == nil {
			s.update(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": said}})
			return
		}
		status := "completed"
		if failed {
			status = "failed"
		}
		s.update(object{"sessionUpdate": "tool_call", "toolCallId": u.ID, "title": u.Name, "kind": "edit", "status": status,
			"locations": []any{object{"path": u.Input.Path}}})
	}
	return a
}

// prompt has a turn.
func (s *server) prompt(m message, prompt string) {
	_, stop, err := s.agent.turn(prompt)
	if refused := (*refusedRequest)(nil); errors.As(err, &refused) {
		if refused.status == http.StatusUnauthorized {
			s.fail(m, -32000, "Authentication required")
			return
		}
		s.fail(m, -32603, "Internal error: "+refused.says())
		return
	}
	if err != nil {
		s.fail(m, -32603, err.Error())
		return
	}
	_ = s.agent.keep(s.session)
	reason, known := map[string]string{"max_tokens": "max_tokens", "refusal": "refusal"}[stop]
	if !known {
		reason = "end_turn"
	}
	tokens := s.agent.tokens
	s.update(object{"sessionUpdate": "usage_update", "used": tokens[0], "size": 200000,
		"cost": object{"amount": cost(tokens), "currency": "USD"}})
	s.answer(m, object{"stopReason": reason, "usage": object{"inputTokens": tokens[0], "outputTokens": tokens[1],
		"totalTokens": tokens[0] + tokens[1]}})
}

// allowed asks for permission.
func (s *server) allowed(call object) bool {
	s.one.Lock()
	s.asked++
	n := s.asked
	id := fmt.Sprint(n)
	to := make(chan message, 1)
	s.answers[id] = to
	s.one.Unlock()
	s.send(object{"id": n, "method": "session/request_permission", "params": object{"sessionId": s.session,
		"toolCall": call, "options": []any{object{"optionId": "yes", "name": "Yes", "kind": "allow_once"},
			object{"optionId": "no", "name": "No", "kind": "reject_once"}}}})
	var r struct {
		Outcome struct {
			Option string `json:"optionId"`
		} `json:"outcome"`
	}
	_ = json.Unmarshal((<-to).Result, &r)
	return r.Outcome.Option == "yes"
}

func (s *server) update(u object) {
	s.send(object{"method": "session/update", "params": object{"sessionId": s.session, "update": u}})
}

func (s *server) answer(m message, result any) { s.send(object{"id": m.ID, "result": result}) }

func (s *server) fail(m message, code int, why string) {
	s.send(object{"id": m.ID, "error": object{"code": code, "message": why}})
}

func (s *server) send(m object) {
	m["jsonrpc"] = "2.0"
	s.one.Lock()
	defer s.one.Unlock()
	fmt.Println(text(m))
}
