package agent

import (
	"encoding/json"
	"strings"
)

// table makes the known agents, sorted by name. It is made when it is asked for.
func table() []Agent { return []Agent{claude(), codex(), gemini(), opencode()} }

// What is turned off in every agent, and why.
const (
	noUpdate    = "updates of itself: a run is bound to one version"
	noTelemetry = "telemetry and error reports: nothing leaves that the work does not need"
	noSandbox   = "its own sandbox: it runs in that of the step"
	noQuestions = "questions to a person: nobody sits there, and the contract answers"
)

func claude() Agent {
	return Agent{
		Name: "claude", Title: "Claude Code",
		ACP:      [][]string{{"claude-agent-acp"}, {"claude-code-acp"}},
		Headless: "claude",
		Keys:     []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
		Variables: []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL",
			"ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_CUSTOM_HEADERS"},
		Files: []File{
			{Folder: ".claude", Variable: "CLAUDE_CONFIG_DIR", Name: ".credentials.json", Login: true,
				renewed: []string{"claudeAiOauth.accessToken", "claudeAiOauth.refreshToken", "claudeAiOauth.expiresAt",
					"claudeAiOauth.refreshTokenExpiresAt", "mcpOAuth.*.accessToken", "mcpOAuth.*.refreshToken",
					"mcpOAuth.*.expiresAt"},
				moves: []string{"claudeAiOauth.*", "mcpOAuth", "mcpOAuth.*", "mcpOAuth.*.scope", "mcpOAuth.*.discoveryState"}},
			{Folder: ".claude", Variable: "CLAUDE_CONFIG_DIR", Name: "settings.json"},
			{Folder: ".claude", Variable: "CLAUDE_CONFIG_DIR", Name: "CLAUDE.md"},
		},
		Obeys:   []string{".claude", ".mcp.json"},
		Hosts:   []string{"api.anthropic.com", "console.anthropic.com", "claude.ai"},
		Off:     []string{noUpdate, noTelemetry, noSandbox, noQuestions},
		Install: "npm install -g @anthropic-ai/claude-code",
		Login:   "claude, and /login there, or set ANTHROPIC_API_KEY",
		talk:    claudeTalk{}, mode: "default",
		setUp: func(u use) setup {
			return setup{env: map[string]string{
				"CLAUDE_CONFIG_DIR": u.below(".claude"), "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
				"DISABLE_ERROR_REPORTING": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
				"CLAUDE_CODE_MAX_RETRIES": "4",
				"IS_SANDBOX":              "1", // as root it would not work without asking, else
			}}
		},
	}
}

func codex() Agent {
	return Agent{
		Name: "codex", Title: "Codex",
		ACP:       [][]string{{"codex-acp"}},
		Headless:  "codex",
		Keys:      []string{"CODEX_API_KEY", "OPENAI_API_KEY"},
		Variables: []string{"OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"},
		Files: []File{
			{Folder: ".codex", Variable: "CODEX_HOME", Name: "auth.json", Login: true,
				renewed: []string{"tokens.id_token", "tokens.access_token", "tokens.refresh_token", "last_refresh"}},
			{Folder: ".codex", Variable: "CODEX_HOME", Name: "config.toml"},
			{Folder: ".codex", Variable: "CODEX_HOME", Name: "AGENTS.md"},
		},
		Obeys:   []string{".codex"},
		Hosts:   []string{"api.openai.com", "auth.openai.com", "chatgpt.com"},
		Off:     []string{noUpdate, noTelemetry, noSandbox, noQuestions},
		Install: "npm install -g @openai/codex",
		Login:   "codex login, or set OPENAI_API_KEY",
		talk:    codexTalk{},
		setUp: func(u use) setup {
			s := setup{env: map[string]string{"CODEX_HOME": u.below(".codex")}, folder: ".codex"}
			if key := u.get("OPENAI_API_KEY"); key != "" && u.get("CODEX_API_KEY") == "" {
				s.env["CODEX_API_KEY"] = key
			}
			s.args = []string{"-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false"}
			if base := u.get("OPENAI_BASE_URL"); base != "" {
				s.args = append(s.args, "-c", "openai_base_url="+quoted(base))
			}
			if u.how == ACP { // there it asks, and has no sandbox
				s.args = append(s.args, "-c", `sandbox_mode="danger-full-access"`, "-c", `approval_policy="untrusted"`)
			}
			return s
		},
	}
}

func gemini() Agent {
	return Agent{
		Name: "gemini", Title: "Gemini CLI",
		ACP:      [][]string{{"gemini", "--acp", "--skip-trust"}},
		Headless: "gemini",
		Keys:     []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		Variables: []string{"GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT",
			"GOOGLE_CLOUD_LOCATION"},
		Files: []File{
			{Folder: ".gemini", Name: "oauth_creds.json", Login: true,
				renewed: []string{"access_token", "refresh_token", "id_token", "expiry_date"}, moves: []string{"scope"}},
			{Folder: ".gemini", Name: "google_accounts.json"},
			{Folder: ".gemini", Name: "settings.json"},
			{Folder: ".gemini", Name: "GEMINI.md"},
		},
		Obeys:   []string{".gemini", ".env"}, // it takes variables from there: whom it sends its key to, too
		Hosts:   []string{"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"},
		Off:     []string{noUpdate, noTelemetry, noSandbox, noQuestions},
		Install: "npm install -g @google/gemini-cli",
		Login:   "gemini, and log in there, or set GEMINI_API_KEY",
		talk:    geminiTalk{}, mode: "default",
		setUp: func(u use) setup {
			const file = ".gemini/settings.json"
			s := setup{env: map[string]string{"GEMINI_SANDBOX": "false"},
				over: map[string]string{file: `{"general":{"enableAutoUpdate":false,"disableAutoUpdate":true,` +
					`"disableUpdateNag":true},"telemetry":{"enabled":false},"privacy":{"usageStatisticsEnabled":false},` +
					`"tools":{"sandbox":false}}`}, under: map[string]string{}}
			way := ""
			switch {
			case u.get("GEMINI_API_KEY") != "":
				way = "gemini-api-key"
			case u.get("GOOGLE_API_KEY") != "":
				way = "vertex-ai"
			}
			if way != "" {
				s.under[file] = `{"security":{"auth":{"selectedType":"` + way + `"}}}`
			}
			return s
		},
	}
}

func opencode() Agent {
	return Agent{
		Name: "opencode", Title: "OpenCode",
		ACP:      [][]string{{"opencode", "acp"}},
		Headless: "opencode",
		Keys: []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY",
			"OPENCODE_API_KEY"},
		keyOf: map[string]string{"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY",
			"google": "GEMINI_API_KEY", "openrouter": "OPENROUTER_API_KEY", "opencode": "OPENCODE_API_KEY"},
		Variables: []string{"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENCODE_CONFIG_CONTENT"},
		Files: []File{
			{Folder: ".local/share/opencode", Name: "auth.json", Login: true,
				renewed: []string{"*.access", "*.refresh", "*.expires"}},
			{Folder: ".config/opencode", Name: "opencode.json"},
			{Folder: ".config/opencode", Name: "opencode.jsonc"},
			{Folder: ".config/opencode", Name: "AGENTS.md"},
		},
		Obeys:   []string{"opencode.json", "opencode.jsonc", ".opencode"},
		Hosts:   []string{"opencode.ai", "models.dev", "api.anthropic.com", "api.openai.com", "openrouter.ai"},
		Off:     []string{noUpdate, noTelemetry, noQuestions, "sharing of sessions, plug-ins: nothing leaves, and nothing comes in"},
		Install: "npm install -g opencode-ai",
		Login:   "opencode auth login, or set the key of a provider, as in ANTHROPIC_API_KEY",
		talk:    opencodeTalk{},
		setUp: func(u use) setup {
			return setup{env: map[string]string{
				"XDG_DATA_HOME": u.below(".local/share"), "XDG_CONFIG_HOME": u.below(".config"),
				"XDG_STATE_HOME": u.below(".local/state"), "OPENCODE_DISABLE_AUTOUPDATE": "1",
				"OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
				"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_PURE": "1",
				"OPENCODE_CONFIG_CONTENT": opencodeConfig(u),
			}}
		},
	}
}

// opencodeConfig is the configuration by which opencode works for a step, laid
// over the user's.
func opencodeConfig(u use) string {
	may := "allow"
	switch {
	case u.asked:
		may = "deny"
	case u.how == ACP:
		may = "ask"
	}
	providers := map[string]any{}
	put := func(provider, base string) {
		if base != "" {
			providers[provider] = map[string]any{"options": map[string]any{"baseURL": base}}
		}
	}
	if base := strings.TrimSuffix(u.get("ANTHROPIC_BASE_URL"), "/"); base != "" {
		put("anthropic", strings.TrimSuffix(base, "/v1")+"/v1") // others leave the version out
	}
	put("openai", u.get("OPENAI_BASE_URL"))
	under, _ := json.Marshal(map[string]any{"provider": providers}) // of maps of texts
	over := `{"autoupdate":false,"share":"disabled","snapshot":false,"lsp":false,"formatter":false,` +
		`"permission":{"edit":"` + may + `","bash":"` + may + `","webfetch":"` + may + `"}}`
	text, ok := merge(string(under), u.get("OPENCODE_CONFIG_CONTENT"), over)
	if !ok {
		text, _ = merge(string(under), over)
	}
	return text
}

// quoted is a text as a string of TOML.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a text
	return string(b)
}
