package agenttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A small agent has a conversation with a model and does what it says.
type small struct {
	dir      string
	messages []any
	tokens   [2]int64
	// may is asked before a tool is used; nil: everything may be.
	may func(u toolUse) bool
	// seen is told of texts and tools, and of what became of a tool.
	seen func(text string, u *toolUse, result string, failed bool)
}

// A toolUse is a call of a tool, as the Messages API has it.
type toolUse struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Input struct {
		Path    string `json:"file_path"`
		Content string `json:"content"`
		Old     string `json:"old_string"`
		New     string `json:"new_string"`
		Command string `json:"command"`
	} `json:"input"`
}

// A refused request is what a server answered to it.
type refusedRequest struct {
	status  int
	message string
}

func (e *refusedRequest) Error() string { return e.message }

// says is what an agent tells people of it.
func (e *refusedRequest) says() string {
	switch {
	case e.status == http.StatusUnauthorized:
		return "Invalid API key · Please run /login"
	case e.status == http.StatusTooManyRequests:
		return "API Error: Request rejected (429) · " + e.message
	case strings.Contains(e.message, "too long"):
		return "Prompt is too long"
	}
	return "API Error: " + e.message
}

// turn says a prompt and goes on until the model has said its last word, which it
// returns with the reason why it stopped.
func (s *small) turn(prompt string) (word, stop string, err error) {
	s.messages = append(s.messages, object{"role": "user", "content": prompt})
	for {
		var answer struct {
			Content []json.RawMessage `json:"content"`
			Stop    string            `json:"stop_reason"`
			Usage   struct {
				In  int64 `json:"input_tokens"`
				Out int64 `json:"output_tokens"`
			} `json:"usage"`
		}
		if err := s.ask(&answer); err != nil {
			return word, "", err
		}
		s.tokens[0] += answer.Usage.In
		s.tokens[1] += answer.Usage.Out
		s.messages = append(s.messages, object{"role": "assistant", "content": answer.Content})
		var results []any
		for _, raw := range answer.Content {
			if said := field(raw, "text"); said != "" {
				word = said
				s.seen(said, nil, "", false)
				continue
			}
			var u toolUse
			if err := json.Unmarshal(raw, &u); err != nil {
				return word, "", err
			}
			result, failed := s.use(u)
			s.seen("", &u, result, failed)
			results = append(results, object{"type": "tool_result", "tool_use_id": u.ID, "content": result, "is_error": failed})
		}
		if len(results) == 0 {
			return word, answer.Stop, nil
		}
		s.messages = append(s.messages, object{"role": "user", "content": results})
	}
}

// ask asks the model that the environment names.
func (s *small) ask(answer any) error {
	body := text(object{"model": "small", "max_tokens": 1000, "system": "Working directory: " + s.dir + "\n",
		"messages": s.messages, "tools": []any{object{"name": "Write"}, object{"name": "Edit"}, object{"name": "Bash"}}})
	r, err := http.NewRequest(http.MethodPost, os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("X-Api-Key", os.Getenv("ANTHROPIC_API_KEY"))
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	raw, err := io.ReadAll(got.Body)
	if err != nil {
		return err
	}
	if got.StatusCode != http.StatusOK {
		var e struct{ Error struct{ Message string } }
		_ = json.Unmarshal(raw, &e)
		return &refusedRequest{got.StatusCode, e.Error.Message}
	}
	return json.Unmarshal(raw, answer)
}

// use uses a tool, and says what came of it.
func (s *small) use(u toolUse) (result string, failed bool) {
	if s.may != nil && !s.may(u) {
		return "The user refused it", true
	}
	var err error
	switch u.Name {
	case "Write":
		if err = os.MkdirAll(filepath.Dir(u.Input.Path), 0o755); err == nil {
			err = os.WriteFile(u.Input.Path, []byte(u.Input.Content), 0o644)
		}
	case "Edit":
		var was []byte
		if was, err = os.ReadFile(u.Input.Path); err == nil {
			is := bytes.Replace(was, []byte(u.Input.Old), []byte(u.Input.New), 1)
			err = os.WriteFile(u.Input.Path, is, 0o644)
		}
	case "Bash":
		c := exec.Command("sh", "-c", u.Input.Command)
		c.Dir = s.dir
		out, failed := c.CombinedOutput()
		result, err = string(out), failed
	default:
		err = fmt.Errorf("there is no tool %q", u.Name)
	}
	if err != nil {
		return result + err.Error(), true
	}
	return result + "ok", false
}

// kept is the conversation of a session, which lies in the home.
func kept(session string) string {
	return filepath.Join(os.Getenv("HOME"), ".claude", "small-"+filepath.Base(session)+".json")
}

func (s *small) load(session string) error {
	raw, err := os.ReadFile(kept(session))
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, &s.messages)
}

func (s *small) keep(session string) error {
	if err := os.MkdirAll(filepath.Dir(kept(session)), 0o700); err != nil {
		return err
	}
	return os.WriteFile(kept(session), []byte(text(s.messages)), 0o600)
}

// newSession is the id of a new one.
func newSession() string { return fmt.Sprintf("5e551011-%d", os.Getpid()) }

// headless acts as "claude -p --output-format stream-json".
func headless(args []string) int {
	session, prompt := newSession(), ""
	s := &small{}
	s.dir, _ = os.Getwd()
	for i, arg := range args {
		switch {
		case arg == "--resume" && i+1 < len(args):
			session = args[i+1]
			if err := s.load(session); err != nil {
				fmt.Fprintln(os.Stderr, "No conversation found with session ID:", session)
				return 1
			}
		case arg == "-p" && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"):
			prompt = args[i+1]
		}
	}
	if prompt == "" {
		raw, _ := io.ReadAll(os.Stdin)
		prompt = string(raw)
	}
	print := func(v object) {
		v["session_id"] = session
		fmt.Println(text(v))
	}
	print(object{"type": "system", "subtype": "init", "cwd": s.dir, "model": "small"})
	n := 0
	s.seen = func(said string, u *toolUse, result string, failed bool) {
		n++
		content := object{"type": "text", "text": said}
		if u != nil {
			content = object{"type": "tool_use", "id": u.ID, "name": u.Name,
				"input": object{"file_path": u.Input.Path, "command": u.Input.Command}}
		}
		print(object{"type": "assistant", "message": object{"id": fmt.Sprint("msg_", n), "role": "assistant",
			"model": "small", "content": []any{content}, "usage": object{"input_tokens": 0, "output_tokens": 0}}})
	}
	word, stop, err := s.turn(prompt)
	last := object{"type": "result", "subtype": "success", "is_error": false, "result": word, "stop_reason": stop,
		"usage":          object{"input_tokens": s.tokens[0], "output_tokens": s.tokens[1]},
		"total_cost_usd": cost(s.tokens)}
	if err != nil {
		last["is_error"], last["result"] = true, err.Error()
		if refused := (*refusedRequest)(nil); errors.As(err, &refused) {
			last["result"], last["api_error_status"] = refused.says(), refused.status
		}
		print(last)
		return 1
	}
	if err := s.keep(session); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	print(last)
	return 0
}

// cost is what tokens cost: a dollar for a million.
func cost(tokens [2]int64) float64 { return float64(tokens[0]+tokens[1]) / 1e6 }
