package agenttest

import "net/http"

var anthropic = api{name: "anthropic", answer: answerAnthropic, fail: failAnthropic, tooLong: func(w http.ResponseWriter) {
	failAnthropic(w, http.StatusBadRequest, "prompt is too long: 250000 tokens > 200000 maximum")
}}

func failAnthropic(w http.ResponseWriter, status int, message string) {
	kind := map[int]string{400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
		429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}[status]
	statusFail(w, status, object{"type": "error", "error": object{"type": kind, "message": message}})
}

func answerAnthropic(w http.ResponseWriter, m *Model, r Request, t Turn) {
	u := t.usage()
	var content []object
	if t.Say != "" {
		content = append(content, object{"type": "text", "text": t.Say})
	}
	stop := "end_turn"
	for _, c := range t.Calls {
		use := useOf(c, r)
		content = append(content, object{"type": "tool_use", "id": m.id("toolu"), "name": use.name, "input": use.args})
		stop = "tool_use"
	}
	switch {
	case t.Cut:
		stop = "max_tokens"
	case t.Refuse:
		stop = "refusal"
	}
	message := object{"id": m.id("msg"), "type": "message", "role": "assistant", "model": r.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": object{"input_tokens": u.Input, "output_tokens": u.Output, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}}
	if !r.stream {
		reply(w, message)
		return
	}
	e := stream(w)
	message["content"], message["stop_reason"] = []any{}, nil
	message["usage"].(object)["output_tokens"] = 1
	e.send("message_start", object{"type": "message_start", "message": message})
	for i, c := range content {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": c["text"]}
		if c["type"] == "tool_use" {
			start = object{"type": "tool_use", "id": c["id"], "name": c["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": text(c["input"])}
		}
		e.send("content_block_start", object{"type": "content_block_start", "index": i, "content_block": start})
		e.send("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta})
		e.send("content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	e.send("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil},
		"usage": object{"input_tokens": u.Input, "output_tokens": u.Output}})
	e.send("message_stop", object{"type": "message_stop"})
}
