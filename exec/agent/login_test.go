package agent

import (
	"encoding/base64"
	"strings"
	"testing"
)

// webToken is a JSON Web Token that says something.
func webToken(claims string) string {
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2lnbmVk"
}

// loginOf is the file that logs an agent in.
func loginOf(t *testing.T, name string) File {
	t.Helper()
	a, _ := Named(name)
	for _, f := range a.Files {
		if f.Login {
			return f
		}
	}
	t.Fatalf("%s has no login", name)
	return File{}
}

// The logins of the user.
var (
	ofClaude = `{
  "claudeAiOauth": {"accessToken": "sk-ant-oat01-a", "refreshToken": "sk-ant-ort01-a", "expiresAt": 1,
    "scopes": ["user:inference"], "subscriptionType": "max"},
  "mcpOAuth": {"s|1": {"serverUrl": "https://mcp.example.org", "accessToken": "m"}},
  "organizationUuid": "org-1"
}
`
	ofCodex = `{"auth_mode": "chatgpt", "OPENAI_API_KEY": null, "last_refresh": null,
 "tokens": {"id_token": "` + mine + `", "access_token": "` + mine + `", "refresh_token": "rt_1", "account_id": "acc-1"}}`
	ofGemini   = `{"access_token":"ya29.a","scope":"x","token_type":"Bearer","id_token":"` + mine + `","expiry_date":1,"refresh_token":"1//a"}`
	ofOpencode = `{"anthropic": {"type": "oauth", "access": "a", "refresh": "r", "expires": 1}, "openai": {"type": "api", "key": "sk-1"}}`

	mine       = webToken(`{"iss":"https://auth.example.org","sub":"me","exp":1,"https://api.openai.com/auth":{"chatgpt_account_id":"acc-1"}}`)
	later      = webToken(`{"iss":"https://auth.example.org","sub":"me","exp":2,"https://api.openai.com/auth":{"chatgpt_account_id":"acc-1"}}`)
	theirs     = webToken(`{"iss":"https://auth.example.org","sub":"them","exp":2,"https://api.openai.com/auth":{"chatgpt_account_id":"acc-1"}}`)
	elsewhere  = webToken(`{"iss":"https://auth.example.org","sub":"me","exp":2,"https://api.openai.com/auth":{"chatgpt_account_id":"acc-2"}}`)
	nobodys    = webToken(`{"exp":2}`)
	byWhomEver = webToken(`{"iss":"https://evil.example.org","sub":"me","exp":2}`)
)

// TestRenew: what an agent leaves of a login is written back where it is the same
// login with other tokens, and nothing else of it is.
func TestRenew(t *testing.T) {
	tests := []struct {
		agent, name, was string
		change           []string // in what was, by pairs
		want             []string // the same in what is written back; nil: nothing is
		err              string
	}{
		{"claude", "renewed", ofClaude, []string{"oat01-a", "oat01-b", "ort01-a", "ort01-b", `expiresAt": 1`, `expiresAt": 2`},
			[]string{"oat01-a", "oat01-b", "ort01-a", "ort01-b", `expiresAt": 1`, `expiresAt": 2`}, ""},
		{"claude", "written otherwise", ofClaude, []string{"\n", " ", "oat01-a", `oat01-\u0062`}, []string{"oat01-a", `oat01-\u0062`}, ""},
		{"claude", "more beside it", ofClaude, []string{"oat01-a", "oat01-b", `"expiresAt"`, `"apiKeyHelper": "sh", "expiresAt"`,
			`"organ`, `"hooks": [], "organ`}, []string{"oat01-a", "oat01-b"}, ""},
		{"claude", "another subscription", ofClaude, []string{"oat01-a", "oat01-b", `"max"`, `"pro"`}, []string{"oat01-a", "oat01-b"}, ""},
		{"claude", "tokens of a server", ofClaude, []string{`"m"`, `"n"`}, []string{`"m"`, `"n"`}, ""},
		{"claude", "no servers any more", ofClaude, []string{"oat01-a", "oat01-b", "mcpOAuth", "x"}, []string{"oat01-a", "oat01-b"}, ""},
		{"claude", "another server", ofClaude, []string{"mcp.example", "evil.example"}, nil, `"mcpOAuth.s|1.serverUrl"`},
		{"claude", "another organization", ofClaude, []string{"oat01-a", "oat01-b", "org-1", "org-2"}, nil, `changed "organizationUuid"`},
		{"claude", "no token any more", ofClaude, []string{`"accessToken": "sk`, `"x": "sk`}, nil, `no "claudeAiOauth.accessToken" any more`},
		{"claude", "another type", ofClaude, []string{`"sk-ant-oat01-a"`, `{"a": 1}`}, nil, "of type"},
		{"claude", "empty", ofClaude, []string{`"sk-ant-oat01-a"`, `""`}, nil, "no token"},
		{"claude", "several lines", ofClaude, []string{"oat01-a", `oat01-a\nX-Header: 1`}, nil, "no token"},
		{"claude", "long", ofClaude, []string{"oat01-a", strings.Repeat("a", 16<<10)}, nil, "no token"},
		{"claude", "twice", ofClaude, []string{`"expiresAt"`, `"accessToken": "b", "expiresAt"`}, nil, "stands twice"},
		{"claude", "no JSON", ofClaude, []string{`"claudeAi`, `claudeAi`}, nil, "no JSON"},
		{"claude", "a list", ofClaude, []string{ofClaude, "[]"}, nil, "no JSON object"},

		{"codex", "renewed", ofCodex, []string{mine, later, "rt_1", "rt_2", "last_refresh\": null", "last_refresh\": \"2026-11-27T10:00:00Z\""},
			[]string{mine, later, "rt_1", "rt_2", "last_refresh\": null", "last_refresh\": \"2026-11-27T10:00:00Z\""}, ""},
		{"codex", "another person", ofCodex, []string{mine, theirs}, nil, `another account: its "sub"`},
		{"codex", "another account", ofCodex, []string{mine, elsewhere}, nil, `another account: its "chatgpt_account_id"`},
		{"codex", "another account by name", ofCodex, []string{"acc-1\"}}", "acc-2\"}}"}, nil, `changed "tokens.account_id"`},
		{"codex", "nobody's", ofCodex, []string{mine, nobodys}, nil, "another account"},
		{"codex", "signed by whomever", ofCodex, []string{mine, byWhomEver}, nil, `its "iss"`},
		{"codex", "opaque now", ofCodex, []string{mine, "opaque"}, nil, "whose token"},
		{"codex", "a key of somebody", ofCodex, []string{`"OPENAI_API_KEY": null`, `"OPENAI_API_KEY": "sk-of-somebody"`}, nil, `changed "OPENAI_API_KEY"`},
		{"codex", "another way", ofCodex, []string{`"chatgpt"`, `"apikey"`}, nil, `changed "auth_mode"`},

		{"gemini", "renewed", ofGemini, []string{"ya29.a", "ya29.b", mine, later, `date":1`, `date":2`},
			[]string{"ya29.a", "ya29.b", mine, later, `date":1`, `date":2`}, ""},
		{"gemini", "another account", ofGemini, []string{"ya29.a", "ya29.b", mine, theirs}, nil, "another account"},

		{"opencode", "renewed", ofOpencode, []string{`s": "a"`, `s": "b"`, `h": "r"`, `h": "s"`}, []string{`s": "a"`, `s": "b"`, `h": "r"`, `h": "s"`}, ""},
		{"opencode", "another key", ofOpencode, []string{"sk-1", "sk-2"}, nil, `changed "openai.key"`},
		{"opencode", "a server for its configuration", ofOpencode, []string{`{"anthropic"`,
			`{"https://evil.example.org": {"type": "wellknown", "key": "K", "token": "t"}, "anthropic"`}, nil, ""},
		{"opencode", "a login in place of a key", ofOpencode, []string{`"type": "api", "key": "sk-1"`,
			`"type": "oauth", "access": "b", "refresh": "s", "expires": 2, "key": "sk-1"`}, nil, `changed "openai.type"`},
	}
	for _, test := range tests {
		t.Run(test.agent+"/"+test.name, func(t *testing.T) {
			left := strings.NewReplacer(test.change...).Replace(test.was)
			if left == test.was {
				t.Fatal("nothing is changed")
			}
			got, err := loginOf(t, test.agent).renew(test.was, left)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || got != "" {
					t.Errorf("error %v, %s", err, got)
				}
				return
			}
			if want := strings.NewReplacer(test.want...).Replace(test.was); err != nil || got != want {
				t.Errorf("error %v, got\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

// FuzzRenew: whatever is left of a login, what is written back has what the user's
// has, and no more.
func FuzzRenew(f *testing.F) {
	f.Add(ofClaude)
	f.Add(ofCodex)
	f.Add(ofOpencode)
	f.Add(`{"claudeAiOauth": {"accessToken": "b", "refreshToken": "c", "expiresAt": 9, "scopes": [], "subscriptionType": 7}}`)
	f.Fuzz(func(t *testing.T, left string) {
		for name, was := range map[string]string{"claude": ofClaude, "codex": ofCodex, "gemini": ofGemini, "opencode": ofOpencode} {
			login := loginOf(t, name)
			got, err := login.renew(was, left)
			if err != nil {
				continue
			}
			if again, err := login.renew(was, got); err != nil || again != got {
				t.Errorf("%s: %s is not the same login: %v", name, got, err)
			}
			if len(got) > len(was)+8*mostToken {
				t.Errorf("%s: %d bytes", name, len(got))
			}
		}
	})
}
