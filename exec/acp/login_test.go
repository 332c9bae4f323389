package acp

import "testing"

func TestLoggedOut(t *testing.T) {
	for text, want := range map[string]bool{
		"Authentication required": true, "Not logged in · Please run /login": true,
		"Invalid API key · Fix external API key": true, "invalid x-api-key": true,
		"unexpected status 401": true, "Unauthorized": true, "OAuth token has expired": true,
		"please run `codex login`": true, "API key not valid. Please pass a valid API key.": true,
		`"reason": "API_KEY_INVALID"`: true, "authentication_failed": true, "Invalid auth method selected": true,
		"you must specify the GEMINI_API_KEY environment variable": true, "UNAUTHENTICATED": true,
		"Anthropic API key is missing": true,
		"the login page is done":       false, "not found": false, "it has 401 lines": false,
	} {
		if LoggedOut(text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}
