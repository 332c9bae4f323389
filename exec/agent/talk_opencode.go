package agent

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/planlock/planlock/exec"
)

// opencodeTalk is "opencode run --format json".
type opencodeTalk struct{}

func (opencodeTalk) args(t turn, more []string) []string {
	args := []string{"run", "--format", "json"}
	if t.model != "" {
		args = append(args, "--model", t.model)
	}
	if t.session != "" {
		args = append(args, "--session", t.session)
	}
	return append(args, more...)
}

// An opencodeLine is one of its stream, as far as it is used.
type opencodeLine struct {
	Type    string `json:"type"`
	Session string `json:"sessionID"`
	Part    struct {
		Text   string  `json:"text"`
		Tool   string  `json:"tool"`
		Reason string  `json:"reason"`
		Cost   float64 `json:"cost"`
		Tokens struct {
			In        int64 `json:"input"`
			Out       int64 `json:"output"`
			Reasoning int64 `json:"reasoning"`
			Cache     struct {
				Read  int64 `json:"read"`
				Write int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
		State struct {
			Input input `json:"input"`
		} `json:"state"`
	} `json:"part"`
	Error struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
			Status  int    `json:"statusCode"`
		} `json:"data"`
	} `json:"error"`
}

func (opencodeTalk) read(h *heard, text []byte) {
	var line opencodeLine
	if decode(text, &line) != nil {
		h.say(string(text))
		return
	}
	if line.Session != "" {
		h.session = line.Session
	}
	switch p := line.Part; line.Type {
	case "text":
		h.tell(p.Text)
	case "tool_use":
		h.at(p.State.Input.doing(p.Tool))
	case "step_finish":
		t := p.Tokens
		h.count(exec.Usage{InputTokens: plus(plus(max(0, t.In), t.Cache.Read), t.Cache.Write),
			OutputTokens: plus(max(0, t.Out), t.Reasoning), Calls: 1, Cost: money(p.Cost)})
		h.over = p.Reason != "tool-calls"
		h.full = p.Reason == "length"
		if h.full {
			h.fail("its context is full")
		}
	case "error":
		h.over = true
		why := cmp.Or(line.Error.Data.Message, line.Error.Name)
		if line.Error.Data.Status != 0 {
			why = strings.TrimSpace(why + " (" + strconv.Itoa(line.Error.Data.Status) + ")")
		}
		h.fail(why)
	}
}
