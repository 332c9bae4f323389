package agenttest

import (
	"encoding/json"
	"net/http"
)

var gemini = api{name: "gemini", answer: answerGemini, fail: failGemini, tooLong: func(w http.ResponseWriter) {
	failGemini(w, http.StatusBadRequest,
		"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).")
}}

func failGemini(w http.ResponseWriter, status int, message string) {
	name := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
		429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}[status]
	e := object{"code": status, "message": message, "status": name}
	if after := w.Header().Get("Retry-After"); after != "" {
		e["details"] = []any{object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": after + "s"}}
	}
	statusFail(w, status, object{"error": e})
}

func answerGemini(w http.ResponseWriter, m *Model, r Request, t Turn) {
	u := t.usage()
	var parts []any
	if t.Say != "" {
		parts = append(parts, object{"text": t.Say})
	}
	for _, c := range t.Calls {
		use := useOf(c, r)
		parts = append(parts, object{"functionCall": object{"id": m.id("call"), "name": use.name, "args": use.args}})
	}
	finish := "STOP"
	switch {
	case t.Cut:
		finish = "MAX_TOKENS"
	case t.Refuse:
		finish = "SAFETY"
	}
	answer := object{"responseId": m.id("resp"), "modelVersion": r.Model,
		"candidates": []any{object{"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": finish}},
		"usageMetadata": object{"promptTokenCount": u.Input, "candidatesTokenCount": u.Output,
			"totalTokenCount": u.Input + u.Output}}
	if !r.stream {
		reply(w, answer)
		return
	}
	stream(w).send("", answer)
}

// field is a field of an object that is text.
func field(raw json.RawMessage, name string) string {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(raw, &fields)
	var s string
	_ = json.Unmarshal(fields[name], &s)
	return s
}
