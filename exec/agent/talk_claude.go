package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/planlock/planlock/exec"
)

// claudeTalk is "claude -p --output-format stream-json --verbose".
type claudeTalk struct{}

func (claudeTalk) args(t turn, more []string) []string {
	args := []string{"-p", "--output-format", "stream-json", "--verbose"}
	if t.asked {
		args = append(args, "--tools", "")
	} else {
		args = append(args, "--dangerously-skip-permissions")
	}
	if t.model != "" {
		args = append(args, "--model", t.model)
	}
	if t.session != "" {
		args = append(args, "--resume", t.session)
	}
	return append(args, more...)
}

// A claudeLine is one of its stream, as far as it is used.
type claudeLine struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Session string `json:"session_id"`
	Parent  string `json:"parent_tool_use_id"`
	Message struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   claudeUsage     `json:"usage"`
	} `json:"message"`
	Error   json.RawMessage `json:"error"`
	IsError bool            `json:"is_error"`
	Result  string          `json:"result"`
	Errors  []string        `json:"errors"`
	Usage   claudeUsage     `json:"usage"`
	Turns   int             `json:"num_turns"`
	Cost    float64         `json:"total_cost_usd"`
	Models  map[string]struct {
		In    int64 `json:"inputTokens"`
		Out   int64 `json:"outputTokens"`
		Read  int64 `json:"cacheReadInputTokens"`
		Write int64 `json:"cacheCreationInputTokens"`
	} `json:"modelUsage"`
	Status int     `json:"error_status"`
	Delay  float64 `json:"retry_delay_ms"`
}

type claudeUsage struct {
	In    int64 `json:"input_tokens"`
	Write int64 `json:"cache_creation_input_tokens"`
	Read  int64 `json:"cache_read_input_tokens"`
	Out   int64 `json:"output_tokens"`
}

func (u claudeUsage) usage() exec.Usage {
	return exec.Usage{InputTokens: plus(plus(max(0, u.In), u.Write), u.Read), OutputTokens: max(0, u.Out)}
}

// A block of a message's content.
type block struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Name  string `json:"name"`
	Input input  `json:"input"`
}

func (claudeTalk) read(h *heard, text []byte) {
	var line claudeLine
	if decode(text, &line) != nil {
		h.say(string(text)) // it prints other things besides, as warnings
		return
	}
	if line.Session != "" {
		h.session = line.Session
	}
	switch line.Type {
	case "assistant":
		line.assistant(h)
	case "result":
		line.result(h)
	case "system":
		if line.Subtype == "api_retry" {
			line.retry(h)
		}
	}
}

// assistant is a part of a message of the agent. Each block comes by itself, with
// the usage of the whole.
func (line *claudeLine) assistant(h *heard) {
	var blocks []block
	if json.Unmarshal(line.Message.Content, &blocks) != nil {
		return
	}
	if line.Message.Model != "<synthetic>" && h.once(line.Message.ID) {
		u := line.Message.Usage.usage()
		u.Calls = 1
		h.count(u)
	}
	for _, b := range blocks {
		switch {
		case b.Type == "text" && line.Parent == "":
			h.tell(b.Text)
		case b.Type == "tool_use":
			h.at(b.Input.doing(b.Name))
		}
	}
}

// longDelay is from when on, in milliseconds, a limit is for the run to wait for.
const longDelay = 60_000

// retry says that a service did not answer, and that it is asked again: for
// nothing where the login is not valid, and after a long time where a limit is
// reached.
func (line *claudeLine) retry(h *heard) {
	why := strings.Trim(string(line.Error), `"`)
	h.at(fmt.Sprintf("asking its service again: %d %s", line.Status, oneLine(why)))
	switch {
	case line.Status == 401 || line.Status == 403:
		h.stop(fmt.Sprintf("not logged in: %s (%d)", why, line.Status))
	case line.Status == 429 && line.Delay >= longDelay:
		h.stop(fmt.Sprintf("rate limit (429), retry in %d s", int64(line.Delay/1000)))
	}
}

// result is the last line. What it says was spent mostly includes what the
// conversation spent before, but not always. It is over by then: no budget ends
// it, and what it did is judged.
func (line *claudeLine) result(h *heard) {
	h.over = true
	u := line.Usage.usage()
	if len(line.Models) > 0 { // with what helpers of it spent
		u = exec.Usage{}
		for _, m := range line.Models { // in any order: they are added up
			u.InputTokens = plus(plus(plus(u.InputTokens, m.In), m.Write), m.Read)
			u.OutputTokens = plus(u.OutputTokens, m.Out)
		}
	}
	u.Cost = money(line.Cost)
	counted := h.usage
	told := u
	if b := h.before; b.InputTokens > 0 && u.InputTokens >= plus(b.InputTokens, counted.InputTokens) &&
		u.OutputTokens >= plus(b.OutputTokens, counted.OutputTokens) && u.Cost >= b.Cost {
		u.InputTokens, u.OutputTokens, u.Cost = u.InputTokens-b.InputTokens, u.OutputTokens-b.OutputTokens, u.Cost-b.Cost
	}
	h.before = told
	h.usage = exec.Usage{InputTokens: max(counted.InputTokens, u.InputTokens),
		OutputTokens: max(counted.OutputTokens, u.OutputTokens), Calls: counted.Calls, Cost: u.Cost}
	why := line.Result
	if len(line.Errors) > 0 {
		why = strings.TrimSpace(why + "\n" + strings.Join(line.Errors, "\n"))
	}
	switch {
	case line.Subtype == "error_max_turns":
		h.full = true
		h.fail("it made as many turns as it may")
	case line.IsError || line.Subtype != "success":
		h.fail(why)
	case line.Result != "":
		h.word = clip(strings.TrimSpace(h.shown(line.Result)), mostWord)
	}
}

// An input is what a tool is called with, as far as it says what the agent is at.
type input struct {
	FilePath  string `json:"file_path"`
	FilePath2 string `json:"filePath"`
	Absolute  string `json:"absolute_path"`
	Path      string `json:"path"`
	Notebook  string `json:"notebook_path"`
	Command   string `json:"command"`
	Pattern   string `json:"pattern"`
	URL       string `json:"url"`
	Query     string `json:"query"`
	About     string `json:"description"`
}

// UnmarshalJSON takes the strings of an object and passes over all else.
func (in *input) UnmarshalJSON(text []byte) error {
	var all map[string]json.RawMessage
	if json.Unmarshal(text, &all) != nil {
		return nil
	}
	for name, to := range map[string]*string{"file_path": &in.FilePath, "filePath": &in.FilePath2,
		"absolute_path": &in.Absolute, "path": &in.Path, "notebook_path": &in.Notebook, "command": &in.Command,
		"pattern": &in.Pattern, "url": &in.URL, "query": &in.Query, "description": &in.About} {
		if json.Unmarshal(all[name], to) != nil {
			*to = ""
		}
	}
	return nil
}

// doing says what a call of a tool is, in a few words, as in "editing limit.go".
func (in *input) doing(tool string) string {
	file := ""
	for _, name := range []string{in.FilePath, in.FilePath2, in.Absolute, in.Notebook, in.Path} {
		if name != "" {
			file = short(name)
			break
		}
	}
	switch name := strings.ToLower(tool); {
	case strings.Contains(name, "bash"), strings.Contains(name, "shell"), name == "exec_command":
		return "running " + oneLine(in.Command)
	case file != "" && strings.Contains(name, "read"):
		return "reading " + file
	case file != "" && strings.Contains(name, "write"):
		return "writing " + file
	case file != "" && (strings.Contains(name, "edit") || name == "replace" || name == "patch"):
		return "editing " + file
	case strings.Contains(name, "grep"), strings.Contains(name, "glob"), strings.Contains(name, "search"):
		return strings.TrimSpace("searching " + oneLine(in.Pattern+in.Query))
	case in.URL != "":
		return "fetching " + oneLine(in.URL)
	case file != "":
		return oneLine(tool) + " " + file
	}
	return strings.TrimSpace(oneLine(tool) + " " + oneLine(in.About))
}

// short is the end of a path.
func short(name string) string {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	parts := strings.Split(strings.Trim(name, "/"), "/")
	return oneLine(strings.Join(parts[max(0, len(parts)-2):], "/"))
}

// oneLine is a text as one short line.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(clip(text, 1000)), " ")
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:80]) + "…"
	}
	return text
}

// decode reads a line that is an object. What has another kind than it should is
// passed over.
func decode(text []byte, to any) error {
	err := json.Unmarshal(text, to)
	if _, other := err.(*json.UnmarshalTypeError); other && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil
	}
	return err
}
