package fake

import (
	"encoding/json"
	"fmt"
)

// A stream prints what an agent does in its own form.
type stream interface {
	begin()
	edit(path string)
	call(command string)
	say(text string)
	end(t Turn)
}

func streamOf(name string) stream {
	switch name {
	case "claude":
		return claude{}
	case "codex":
		return codex{}
	case "gemini":
		return gemini{}
	case "opencode":
		return opencode{}
	}
	return plain{}
}

type object map[string]any

func line(o object) {
	text, err := json.Marshal(o)
	if err != nil {
		die(err)
	}
	fmt.Println(string(text))
}

// session is the conversation of every agent.
const session = "5e551011-0000-4000-8000-000000000001"

type claude struct{}

func (claude) begin() {
	line(object{"type": "system", "subtype": "init", "session_id": session, "model": "fake"})
}

func (claude) block(block object) {
	line(object{"type": "assistant", "session_id": session, "message": object{"id": "msg_1", "model": "fake",
		"content": []object{block}, "usage": object{"input_tokens": 1, "output_tokens": 1}}})
}

func (c claude) edit(path string) {
	c.block(object{"type": "tool_use", "name": "Write", "input": object{"file_path": path}})
}

func (c claude) call(command string) {
	c.block(object{"type": "tool_use", "name": "Bash", "input": object{"command": command}})
}

func (c claude) say(text string) { c.block(object{"type": "text", "text": text}) }

func (claude) end(t Turn) {
	subtype, result := "success", t.Say
	if t.Fail != "" {
		result = t.Fail
	}
	line(object{"type": "result", "subtype": subtype, "is_error": t.Fail != "", "result": result, "session_id": session,
		"total_cost_usd": t.Cost, "num_turns": 1, "usage": object{"input_tokens": t.In, "output_tokens": t.Out}})
}

type codex struct{}

func (codex) begin() {
	line(object{"type": "thread.started", "thread_id": session})
	line(object{"type": "turn.started"})
}

func (codex) item(kind string, item object) { line(object{"type": "item." + kind, "item": item}) }

func (c codex) edit(path string) {
	c.item("completed", object{"type": "file_change", "status": "completed",
		"changes": []object{{"path": path, "kind": "add"}}})
}

func (c codex) call(command string) {
	c.item("started", object{"type": "command_execution", "command": command, "status": "in_progress"})
}

func (c codex) say(text string) { c.item("completed", object{"type": "agent_message", "text": text}) }

func (codex) end(t Turn) {
	if t.Fail != "" {
		line(object{"type": "error", "message": t.Fail})
		line(object{"type": "turn.failed", "error": object{"message": t.Fail}})
		return
	}
	line(object{"type": "turn.completed", "usage": object{"input_tokens": t.In, "output_tokens": t.Out}})
}

type gemini struct{}

func (gemini) begin() { line(object{"type": "init", "session_id": session, "model": "fake"}) }

func (gemini) tool(name string, parameters object) {
	line(object{"type": "tool_use", "tool_name": name, "tool_id": "1", "parameters": parameters})
	line(object{"type": "tool_result", "tool_id": "1", "status": "success"})
}

func (g gemini) edit(path string)    { g.tool("write_file", object{"file_path": path}) }
func (g gemini) call(command string) { g.tool("run_shell_command", object{"command": command}) }

func (gemini) say(text string) {
	for _, part := range []string{text[:len(text)/2], text[len(text)/2:]} {
		line(object{"type": "message", "role": "assistant", "content": part, "delta": true})
	}
}

func (gemini) end(t Turn) {
	status := object{"type": "result", "status": "success",
		"stats": object{"input_tokens": t.In, "output_tokens": t.Out}}
	if t.Fail != "" {
		status["status"], status["error"] = "error", object{"type": "unknown", "message": "[API Error: " + t.Fail + "]"}
	}
	line(status)
}

type opencode struct{}

func (opencode) part(kind string, part object) {
	line(object{"type": kind, "sessionID": "ses_1", "part": part})
}

func (o opencode) begin() { o.part("step_start", object{"type": "step-start"}) }

func (o opencode) tool(name string, input object) {
	o.part("tool_use", object{"type": "tool", "tool": name, "state": object{"status": "completed", "input": input}})
}

func (o opencode) edit(path string)    { o.tool("write", object{"filePath": path}) }
func (o opencode) call(command string) { o.tool("bash", object{"command": command}) }
func (o opencode) say(text string)     { o.part("text", object{"type": "text", "text": text}) }

func (o opencode) end(t Turn) {
	if t.Fail != "" {
		line(object{"type": "error", "sessionID": "ses_1",
			"error": object{"name": "APIError", "data": object{"message": t.Fail}}})
		return
	}
	o.part("step_finish", object{"type": "step-finish", "reason": "stop", "cost": t.Cost,
		"tokens": object{"input": t.In, "output": t.Out, "reasoning": 0, "cache": object{"read": 0, "write": 0}}})
}

// plain is any other agent: it prints its words.
type plain struct{}

func (plain) begin()              {}
func (plain) edit(string)         {}
func (plain) call(command string) { fmt.Println("$ " + command) }
func (plain) say(text string)     { fmt.Println(text) }

func (plain) end(t Turn) {
	if t.Fail != "" {
		fmt.Println(t.Fail)
	}
}
