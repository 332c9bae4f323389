package agent

import (
	"strings"

	"github.com/planlock/planlock/exec"
)

// geminiTalk is "gemini -o stream-json".
type geminiTalk struct{}

func (geminiTalk) args(t turn, more []string) []string {
	args := []string{"--output-format", "stream-json", "--skip-trust"}
	if t.asked {
		args = append(args, "--approval-mode", "plan")
	} else {
		args = append(args, "--approval-mode", "yolo")
	}
	if t.model != "" {
		args = append(args, "--model", t.model)
	}
	if t.session != "" {
		args = append(args, "--resume", t.session)
	}
	return append(args, more...)
}

// A geminiLine is one of its stream, as far as it is used.
type geminiLine struct {
	Type     string `json:"type"`
	Session  string `json:"session_id"`
	Role     string `json:"role"`
	Content  string `json:"content"`
	Delta    bool   `json:"delta"`
	Tool     string `json:"tool_name"`
	Params   input  `json:"parameters"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Status   string `json:"status"`
	Error    struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	Stats struct {
		In  int64 `json:"input_tokens"`
		Out int64 `json:"output_tokens"`
	} `json:"stats"`
}

func (geminiTalk) read(h *heard, text []byte) {
	var line geminiLine
	if decode(text, &line) != nil {
		h.say(string(text))
		return
	}
	if line.Type != "message" || line.Role != "assistant" || !line.Delta {
		h.flush()
	}
	switch line.Type {
	case "init":
		h.session = line.Session
	case "message":
		switch {
		case line.Role != "assistant":
		case line.Delta:
			h.piece(line.Content)
		default:
			h.tell(line.Content)
		}
	case "tool_use":
		h.at(line.Params.doing(line.Tool))
	case "error":
		h.say(line.Message)
		if line.Severity == "error" {
			h.trouble = h.shown(line.Message)
		}
	case "result":
		h.over = true
		h.count(exec.Usage{InputTokens: line.Stats.In, OutputTokens: line.Stats.Out, Calls: 1})
		if line.Status != "success" {
			why := strings.TrimSuffix(line.Error.Message+" "+line.Error.Type, " unknown")
			h.fail(reason(why))
		}
	}
}
