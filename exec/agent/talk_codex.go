package agent

import (
	"encoding/json"
	"strings"

	"github.com/planlock/planlock/exec"
)

// codexTalk is "codex exec --json".
type codexTalk struct{}

func (codexTalk) args(t turn, more []string) []string {
	args := []string{"exec", "--json", "--skip-git-repo-check"}
	if t.asked {
		args = append(args, "--sandbox", "read-only")
	} else {
		args = append(args, "--dangerously-bypass-approvals-and-sandbox")
	}
	args = append(args, more...)
	if t.model != "" {
		args = append(args, "-m", t.model)
	}
	if t.session != "" {
		return append(args, "resume", t.session, "-")
	}
	return append(args, "-")
}

// A codexLine is one of its stream, as far as it is used.
type codexLine struct {
	Type    string `json:"type"`
	Thread  string `json:"thread_id"`
	Message string `json:"message"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
	Usage struct {
		In  int64 `json:"input_tokens"`
		Out int64 `json:"output_tokens"`
	} `json:"usage"`
	Item struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Command string `json:"command"`
		Message string `json:"message"`
		Query   string `json:"query"`
		Server  string `json:"server"`
		Tool    string `json:"tool"`
		Changes []struct {
			Path string `json:"path"`
			Kind string `json:"kind"`
		} `json:"changes"`
	} `json:"item"`
}

func (codexTalk) read(h *heard, text []byte) {
	var line codexLine
	if decode(text, &line) != nil {
		h.say(string(text))
		return
	}
	switch line.Type {
	case "thread.started":
		h.session = line.Thread
	case "item.started", "item.completed":
		line.item(h)
	case "turn.completed":
		h.over = true
		line.bill(h)
	case "turn.failed":
		h.over = true
		h.fail(reason(line.Error.Message))
	case "error": // it tries again, unless the turn fails then
		line.retry(h)
	}
}

// bill counts what the turn has spent: what is told is of the whole conversation.
func (line *codexLine) bill(h *heard) {
	u := exec.Usage{InputTokens: max(0, line.Usage.In), OutputTokens: max(0, line.Usage.Out)}
	told := u
	if b := h.before; u.InputTokens >= b.InputTokens && u.OutputTokens >= b.OutputTokens {
		u.InputTokens, u.OutputTokens = u.InputTokens-b.InputTokens, u.OutputTokens-b.OutputTokens
	}
	h.before = told
	u.Calls = 1
	h.count(u)
}

// retry says that a service did not answer, and that it is asked again: for
// nothing where the login is not valid, and after a time that nobody knows where a
// limit is reached.
func (line *codexLine) retry(h *heard) {
	why := reason(line.Message)
	h.say(why)
	if strings.HasPrefix(why, "Reconnecting") && (strings.Contains(why, "status 401") ||
		strings.Contains(why, "status: 401") || strings.Contains(why, "429 Too Many Requests")) {
		h.stop(why)
	}
}

// item is a part of what it does.
func (line *codexLine) item(h *heard) {
	began := line.Type == "item.started"
	switch it := line.Item; {
	case it.Type == "agent_message" && !began:
		h.tell(it.Text)
	case it.Type == "command_execution" && began:
		h.at("running " + oneLine(inShell(it.Command)))
	case it.Type == "file_change":
		for _, c := range it.Changes[:min(1, len(it.Changes))] {
			h.at("editing " + short(c.Path))
		}
	case it.Type == "web_search":
		h.at("searching " + oneLine(it.Query))
	case it.Type == "mcp_tool_call" && began:
		h.at(oneLine(it.Server + " " + it.Tool))
	case it.Type == "reasoning":
		h.at("thinking")
	case it.Type == "error" && !began:
		h.say(it.Message)
	}
}

// inShell is what a shell is told to run.
func inShell(command string) string {
	_, inner, ok := strings.Cut(command, "sh -lc ")
	if !ok {
		return command
	}
	return strings.Trim(inner, `'"`)
}

// reason is what a message says, which may be the JSON text that a service
// answered.
func reason(text string) string {
	var said struct {
		Error struct {
			Message string `json:"message"`
			Type    string `json:"type"`
			Status  string `json:"status"`
		} `json:"error"`
		Message string `json:"message"`
	}
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from || json.Unmarshal([]byte(text[from:to+1]), &said) != nil {
		return text
	}
	why := said.Error.Message + said.Message
	if why == "" {
		return text
	}
	return strings.Join(strings.Fields(text[:from]+why+" "+said.Error.Type+said.Error.Status+text[to+1:]), " ")
}
