package agenttest

import "net/http"

var responses = api{name: "responses", answer: answerResponses, fail: failOpenAI, tooLong: tooLongOpenAI}

var chat = api{name: "chat", answer: answerChat, fail: failOpenAI, tooLong: tooLongOpenAI}

func failOpenAI(w http.ResponseWriter, status int, message string) {
	kind := map[int]string{401: "invalid_request_error", 429: "rate_limit_exceeded"}[status]
	code := map[int]string{401: "invalid_api_key", 429: "rate_limit_exceeded"}[status]
	statusFail(w, status, object{"error": object{"message": message, "type": kind, "code": code, "param": nil}})
}

func tooLongOpenAI(w http.ResponseWriter) {
	statusFail(w, http.StatusBadRequest, object{"error": object{
		"message": "Your input exceeds the context window of this model. Please adjust your input and try again.",
		"type":    "invalid_request_error", "code": "context_length_exceeded", "param": "input"}})
}

func answerResponses(w http.ResponseWriter, m *Model, r Request, t Turn) {
	u := t.usage()
	var output []any
	if t.Say != "" {
		output = append(output, object{"type": "message", "id": m.id("msg"), "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": t.Say, "annotations": []any{}}}})
	}
	for _, c := range t.Calls {
		use := useOf(c, r)
		if use.free != "" && customTool(r, use.name) {
			output = append(output, object{"type": "custom_tool_call", "id": m.id("ctc"), "call_id": m.id("call"),
				"name": use.name, "input": use.free, "status": "completed"})
			continue
		}
		if use.free != "" {
			use.args = object{"input": use.free}
		}
		output = append(output, object{"type": "function_call", "id": m.id("fc"), "call_id": m.id("call"),
			"name": use.name, "arguments": text(use.args), "status": "completed"})
	}
	usage := object{"input_tokens": u.Input, "output_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0}}
	response := object{"id": m.id("resp"), "object": "response", "created_at": 1700000000, "model": r.Model,
		"status": "completed", "output": output, "usage": usage, "incomplete_details": nil, "error": nil}
	last := "response.completed"
	if t.Cut {
		last = "response.incomplete"
		response["status"], response["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	}
	if !r.stream {
		reply(w, response)
		return
	}
	e := stream(w)
	e.send("response.created", object{"type": "response.created", "sequence_number": 0,
		"response": object{"id": response["id"], "object": "response", "created_at": 1700000000, "model": r.Model,
			"status": "in_progress", "output": []any{}}})
	for i, one := range output {
		item := one.(object)
		id := item["id"]
		switch item["type"] {
		case "message":
			e.send("response.output_item.added", object{"type": "response.output_item.added", "output_index": i,
				"item": object{"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []any{}}})
			e.send("response.content_part.added", object{"type": "response.content_part.added", "item_id": id,
				"output_index": i, "content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": []any{}}})
			e.send("response.output_text.delta", object{"type": "response.output_text.delta", "item_id": id,
				"output_index": i, "content_index": 0, "delta": t.Say})
			e.send("response.output_text.done", object{"type": "response.output_text.done", "item_id": id,
				"output_index": i, "content_index": 0, "text": t.Say})
			e.send("response.content_part.done", object{"type": "response.content_part.done", "item_id": id,
				"output_index": i, "content_index": 0, "part": item["content"].([]any)[0]})
		case "function_call":
			started := object{"type": "function_call", "id": id, "call_id": item["call_id"], "name": item["name"],
				"arguments": "", "status": "in_progress"}
			e.send("response.output_item.added", object{"type": "response.output_item.added", "output_index": i, "item": started})
			e.send("response.function_call_arguments.delta", object{"type": "response.function_call_arguments.delta",
				"item_id": id, "output_index": i, "delta": item["arguments"]})
			e.send("response.function_call_arguments.done", object{"type": "response.function_call_arguments.done",
				"item_id": id, "output_index": i, "arguments": item["arguments"]})
		}
		e.send("response.output_item.done", object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	e.send(last, object{"type": last, "response": response})
}

// customTool tells whether a tool of a request takes text instead of JSON.
func customTool(r Request, name string) bool {
	return field(r.tools[name], "type") == "custom"
}

func answerChat(w http.ResponseWriter, m *Model, r Request, t Turn) {
	u := t.usage()
	finish := "stop"
	var calls []any
	for i, c := range t.Calls {
		use := useOf(c, r)
		if use.free != "" {
			use.args = object{"patchText": use.free, "input": use.free}
		}
		calls = append(calls, object{"index": i, "id": m.id("call"), "type": "function",
			"function": object{"name": use.name, "arguments": text(use.args)}})
		finish = "tool_calls"
	}
	switch {
	case t.Cut:
		finish = "length"
	case t.Refuse:
		finish = "content_filter"
	}
	usage := object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output}
	message := object{"role": "assistant", "content": t.Say}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	whole := object{"id": m.id("chatcmpl"), "created": 1700000000, "model": r.Model}
	if !r.stream {
		whole["object"], whole["usage"] = "chat.completion", usage
		whole["choices"] = []any{object{"index": 0, "message": message, "finish_reason": finish}}
		reply(w, whole)
		return
	}
	whole["object"] = "chat.completion.chunk"
	e := stream(w)
	whole["choices"] = []any{object{"index": 0, "delta": message, "finish_reason": nil}}
	e.send("", whole)
	whole["choices"] = []any{object{"index": 0, "delta": object{}, "finish_reason": finish}}
	whole["usage"] = usage
	e.send("", whole)
	_, _ = w.Write([]byte("data: [DONE]\n\n"))
}
