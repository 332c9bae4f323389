package acptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/internal/suite"
)

// variable is where a program finds its script, and so that it is the agent.
const variable = "PLANLOCK_ACPTEST"

// forkVariable is set for the process that an act forks: the file that it writes.
const forkVariable = "PLANLOCK_ACPTEST_FORK"

// Main acts as an agent where the program was started as one, and does not
// return then.
func Main() {
	if file := os.Getenv(forkVariable); file != "" {
		time.Sleep(time.Second)
		os.WriteFile(file, []byte("forked\n"), 0o644)
		os.Exit(0)
	}
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	suite.EndAtOnce()
	var s Script
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		fmt.Fprintln(os.Stderr, "acptest: script:", err)
		os.Exit(2)
	}
	os.Exit((&agent{script: s, stopped: make(chan struct{})}).serve(os.Stdin))
}

// An agent plays a script.
type agent struct {
	script  Script
	session string
	turns   int // of the session that are over
	cost    float64
	calls   int

	out     sync.Mutex
	mu      sync.Mutex
	stopped chan struct{} // closed: the turn is to stop
	next    int           // id of the agent's next request
	answers map[string]chan json.RawMessage
}

// A message of either side.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// serve answers until the input ends.
func (a *agent) serve(in io.Reader) int {
	a.answers = map[string]chan json.RawMessage{}
	for _, act := range a.script.First {
		a.act(act)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	requests := make(chan message, 16)
	go func() {
		for m := range requests {
			a.request(m)
		}
	}()
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		switch {
		case m.Method == "session/cancel":
			a.mu.Lock()
			select {
			case <-a.stopped:
			default:
				close(a.stopped)
			}
			a.mu.Unlock()
		case m.Method != "" && m.ID != nil:
			requests <- m
		case m.ID != nil:
			a.mu.Lock()
			answer := a.answers[string(m.ID)]
			a.mu.Unlock()
			if answer != nil {
				answer <- m.Result
			}
		}
	}
	return 0
}

// request answers a request.
func (a *agent) request(m message) {
	var params struct {
		SessionID string `json:"sessionId"`
		Prompt    []struct {
			Text string `json:"text"`
		} `json:"prompt"`
		MethodID string `json:"methodId"`
		ModelID  string `json:"modelId"`
		ModeID   string `json:"modeId"`
	}
	json.Unmarshal(m.Params, &params)
	switch m.Method {
	case "initialize":
		protocol := a.script.Protocol
		if protocol == 0 {
			protocol = 1
		}
		name, version := a.script.Name, a.script.Version
		if name == "" {
			name = "fake"
		}
		if version == "" {
			version = "1.0"
		}
		a.answer(m.ID, object{"protocolVersion": protocol, "agentCapabilities": object{"loadSession": a.script.Loads},
			"agentInfo": object{"name": name, "version": version}, "authMethods": a.methods()})
	case "authenticate":
		if a.script.Key == "" || os.Getenv(a.script.Key) == "" {
			a.fail(m.ID, -32000, "Authentication required")
			return
		}
		a.script.LoggedOut = false
		a.answer(m.ID, object{})
	case "session/new":
		if a.script.LoggedOut {
			a.fail(m.ID, -32000, "Authentication required")
			return
		}
		a.session, a.turns = fmt.Sprintf("session-%d-%d", os.Getpid(), time.Now().UnixNano()), 0
		a.save()
		a.answer(m.ID, a.opened(object{"sessionId": a.session}))
	case "session/load":
		text, err := os.ReadFile(a.file(params.SessionID))
		if !a.script.Loads || err != nil {
			a.fail(m.ID, -32002, "Resource not found")
			return
		}
		a.session = params.SessionID
		a.turns, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		a.update(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": "(told again)"}})
		a.answer(m.ID, a.opened(object{}))
	case "session/set_model":
		a.script.model = params.ModelID
		a.answer(m.ID, object{})
	case "session/set_mode":
		a.script.mode = params.ModeID
		a.answer(m.ID, object{})
	case "session/prompt":
		a.mu.Lock()
		a.stopped = make(chan struct{})
		a.mu.Unlock()
		text := ""
		for _, block := range params.Prompt {
			text += block.Text
		}
		a.prompt(m.ID, text)
	default:
		a.fail(m.ID, -32601, "Method not found")
	}
}

type object = map[string]any

// methods are ways to log in.
func (a *agent) methods() []object {
	if a.script.Key == "" {
		return []object{{"id": "browser", "name": "Log in with a browser"}}
	}
	return []object{{"id": "browser", "name": "Log in with a browser"},
		{"id": strings.ToLower(strings.ReplaceAll(a.script.Key, "_", "-")), "name": "Use a key"}}
}

// opened adds what can be chosen in a session.
func (a *agent) opened(o object) object {
	if len(a.script.Models) > 0 {
		var all []object
		for _, m := range a.script.Models {
			all = append(all, object{"modelId": m, "name": m})
		}
		o["models"] = object{"availableModels": all, "currentModelId": a.script.Models[0]}
	}
	if len(a.script.Modes) > 0 {
		var all []object
		for _, m := range a.script.Modes {
			all = append(all, object{"id": m, "name": m})
		}
		o["modes"] = object{"availableModes": all, "currentModeId": a.script.Modes[0]}
	}
	return o
}

// prompt plays a turn.
func (a *agent) prompt(id json.RawMessage, text string) {
	turn, found := Turn{}, false
	for _, t := range a.script.Turns {
		if t.If != "" && strings.Contains(text, t.If) {
			turn, found = t, true
			break
		}
	}
	var inOrder []Turn
	for _, t := range a.script.Turns {
		if t.If == "" {
			inOrder = append(inOrder, t)
		}
	}
	if !found && len(inOrder) > 0 {
		turn = inOrder[min(a.turns, len(inOrder)-1)]
	}
	a.turns++
	a.save()
	result := object{"stopReason": "end_turn"}
	if turn.Stop != "" {
		result["stopReason"] = turn.Stop
	}
	for _, act := range turn.Acts {
		if a.isStopped() {
			break
		}
		if act.Fail != "" {
			code := act.Code
			if code == 0 {
				code = -32603
			}
			a.fail(id, code, act.Fail)
			return
		}
		a.act(act)
		if act.Input+act.Output > 0 {
			result["usage"] = object{"inputTokens": act.Input, "outputTokens": act.Output, "totalTokens": act.Input + act.Output}
		}
	}
	if a.isStopped() {
		result["stopReason"] = "cancelled"
	}
	a.answer(id, result)
}

func (a *agent) isStopped() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.stopped:
		return true
	default:
		return false
	}
}

// act does one thing.
func (a *agent) act(act Act) {
	if act.Say != "" {
		a.say(act.Say)
	}
	if act.Think != "" {
		a.update(object{"sessionUpdate": "agent_thought_chunk", "content": object{"type": "text", "text": act.Think}})
	}
	if len(act.Plan) > 0 {
		var entries []object
		for i, text := range act.Plan {
			status := "pending"
			if i == 0 {
				status = "in_progress"
			}
			entries = append(entries, object{"content": text, "priority": "medium", "status": status})
		}
		a.update(object{"sessionUpdate": "plan", "entries": entries})
	}
	for range act.Asks {
		a.asked(a.call("edit", act.Write))
	}
	switch {
	case act.Write != "" && act.Asks == 0:
		a.change("edit", act)
	case act.Delete != "":
		a.change("delete", act)
	}
	if act.Cost > 0 {
		a.cost += act.Cost
		a.update(object{"sessionUpdate": "usage_update", "used": 10, "size": 100,
			"cost": object{"amount": a.cost, "currency": "USD"}})
	}
	if len(act.Raw) > 0 {
		for range max(1, act.Times) {
			a.out.Lock()
			os.Stdout.Write(act.Raw)
			a.out.Unlock()
		}
	}
	if act.Print != "" {
		os.Stderr.WriteString(strings.Repeat(act.Print, max(1, act.Times)))
	}
	switch act.Show {
	case "":
	case "model", "mode":
		a.say(act.Show + "=" + map[string]string{"model": a.script.model, "mode": a.script.mode}[act.Show])
	default:
		a.say(act.Show + "=" + os.Getenv(act.Show))
	}
	if act.Fork != "" {
		cmd := osexec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), forkVariable+"="+act.Fork)
		cmd.Start()
	}
	if act.Wait > 0 {
		time.Sleep(act.Wait)
	}
	if act.UntilStopped {
		a.mu.Lock()
		stopped := a.stopped
		a.mu.Unlock()
		<-stopped
		a.say("I stop.")
	}
	if act.Hang {
		select {}
	}
	if act.Exit > 0 {
		os.Exit(act.Exit)
	}
}

// say is a message, in two chunks.
func (a *agent) say(text string) {
	half := len(text) / 2
	for half > 0 && text[half]&0xc0 == 0x80 {
		half--
	}
	for _, part := range []string{text[:half], text[half:]} {
		if part != "" {
			a.update(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": part}})
		}
	}
}

// call is a tool call of the agent, which it tells.
func (a *agent) call(kind, path string) object {
	a.calls++
	full := path
	if dir, err := os.Getwd(); err == nil && !filepath.IsAbs(path) {
		full = filepath.Join(dir, path)
	}
	return object{"toolCallId": fmt.Sprint("call-", a.calls), "title": kind + " " + filepath.Base(path), "kind": kind,
		"status": "pending", "locations": []object{{"path": full}}}
}

// change writes or deletes a file, as a tool call.
func (a *agent) change(kind string, act Act) {
	path := act.Write + act.Delete
	call := a.call(kind, path)
	told := object{"sessionUpdate": "tool_call"}
	for key, value := range call {
		told[key] = value
	}
	a.update(told)
	end := object{"sessionUpdate": "tool_call_update", "toolCallId": call["toolCallId"], "status": "completed"}
	switch {
	case act.Ask && !a.asked(call):
		end["status"] = "failed"
	case act.Tell:
	case kind == "delete":
		if os.Remove(path) != nil {
			end["status"] = "failed"
		}
	default:
		os.MkdirAll(filepath.Dir(path), 0o755)
		if os.WriteFile(path, []byte(act.Text), 0o644) != nil {
			end["status"] = "failed"
		}
	}
	a.update(end)
}

// asked asks for permission.
func (a *agent) asked(call object) bool {
	a.mu.Lock()
	a.next++
	id := fmt.Sprint(a.next)
	answer := make(chan json.RawMessage, 1)
	a.answers[id] = answer
	a.mu.Unlock()
	a.print(object{"jsonrpc": "2.0", "id": a.next, "method": "session/request_permission", "params": object{
		"sessionId": a.session, "toolCall": call, "options": []object{
			{"optionId": "yes", "name": "Allow", "kind": "allow_once"},
			{"optionId": "always", "name": "Always", "kind": "allow_always"},
			{"optionId": "no", "name": "Reject", "kind": "reject_once"}}}})
	var result struct {
		Outcome struct {
			Option string `json:"optionId"`
		} `json:"outcome"`
	}
	json.Unmarshal(<-answer, &result)
	return result.Outcome.Option == "yes"
}

func (a *agent) update(u object) {
	a.print(object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": a.session, "update": u}})
}

func (a *agent) answer(id json.RawMessage, result object) {
	a.print(object{"jsonrpc": "2.0", "id": id, "result": result})
}

func (a *agent) fail(id json.RawMessage, code int, text string) {
	a.print(object{"jsonrpc": "2.0", "id": id, "error": object{"code": code, "message": text}})
}

func (a *agent) print(o object) {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	a.out.Lock()
	defer a.out.Unlock()
	os.Stdout.Write(append(text, '\n'))
}

// file is where a session is kept; save keeps the present one.
func (a *agent) file(session string) string {
	return filepath.Join(os.Getenv("HOME"), ".acptest", filepath.Base(session))
}

func (a *agent) save() {
	if a.script.Loads && a.session != "" {
		os.MkdirAll(filepath.Dir(a.file(a.session)), 0o755)
		os.WriteFile(a.file(a.session), []byte(fmt.Sprint(a.turns)), 0o644)
	}
}
