package agenttest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// An api is one of those that a server speaks.
type api struct {
	name    string
	answer  func(w http.ResponseWriter, m *Model, r Request, t Turn)
	fail    func(w http.ResponseWriter, status int, message string)
	tooLong func(w http.ResponseWriter)
}

// apiOf is the one that a path belongs to; nil if none.
func apiOf(path string) *api {
	switch {
	case strings.HasSuffix(path, "/messages"), strings.HasSuffix(path, "/messages/count_tokens"):
		return &anthropic
	case strings.HasSuffix(path, "/responses"):
		return &responses
	case strings.HasSuffix(path, "/chat/completions"):
		return &chat
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"),
		strings.HasSuffix(path, ":countTokens"):
		return &gemini
	}
	return nil
}

func (t Turn) usage() Usage {
	if t.Usage == (Usage{}) {
		return Usage{100, 10}
	}
	return t.Usage
}

type object = map[string]any

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of what is made here
	}
	return string(b)
}

// events writes server-sent events. A name that is "" is not written.
type events struct{ w http.ResponseWriter }

func stream(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return events{w}
}

func (e events) send(name string, v any) {
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", text(v))
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}

// statusFail answers with a status and an error in JSON.
func statusFail(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
