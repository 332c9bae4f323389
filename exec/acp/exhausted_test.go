package acp

import "testing"

func TestContextFull(t *testing.T) {
	for text, want := range map[string]bool{
		"prompt is too long: 210000 tokens > 200000 maximum":                                       true,
		"Input is too long for requested model":                                                    true,
		"ran out of room in the model's context window":                                            true,
		"You have exceeded the context length limit":                                               true,
		"this model's maximum context is 8192 tokens":                                              true,
		"the request exceeds the context of the model":                                             true,
		"input token count (1200000) exceeds the maximum number of tokens allowed":                 true,
		"too many tokens in the prompt":                                                            true,
		"input length and `max_tokens` exceed":                                                     true,
		"response exceeded the 32000 output token maximum":                                         true,
		"incomplete: max_output_tokens":                                                            true,
		"Too many tokens, please wait before trying again":                                         false,
		"Quota exceeded for metric: generate content input token count limit per model per minute": false,
		"no such file": false,
	} {
		if ContextFull(text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}
