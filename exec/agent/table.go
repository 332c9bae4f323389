package agent

// table makes the known agents, sorted by name. It is made when it is asked for.
func table() []Agent {
	return []Agent{claude(), codex(), gemini(), opencode()}
}

// quiet is said of each agent.
const (
	noUpdate    = "self-update: a run is bound to one version"
	noTelemetry = "telemetry, error reports: nothing leaves that the work does not need"
	noSandbox   = "its own sandbox and questions: the step's sandbox and contract are there instead"
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
			{".claude", "CLAUDE_CONFIG_DIR", ".credentials.json", true},
			{".claude", "CLAUDE_CONFIG_DIR", "settings.json", false},
			{".claude", "CLAUDE_CONFIG_DIR", "CLAUDE.md", false},
		},
		Hosts:   []string{"api.anthropic.com", "console.anthropic.com", "claude.ai"},
		Off:     []string{noUpdate, noTelemetry, noSandbox},
		Install: "npm install -g @anthropic-ai/claude-code",
		Login:   "claude /login, or set ANTHROPIC_API_KEY",
		settings: map[string]string{
			"CLAUDE_CONFIG_DIR": "{home}/.claude", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
			"DISABLE_ERROR_REPORTING": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
			"IS_SANDBOX": "1", // else it does not work as root without asking
		},
		talk: claudeTalk{},
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
			{".codex", "CODEX_HOME", "auth.json", true},
			{".codex", "CODEX_HOME", "config.toml", false},
			{".codex", "CODEX_HOME", "AGENTS.md", false},
		},
		Hosts:    []string{"api.openai.com", "chatgpt.com", "auth.openai.com"},
		Off:      []string{noUpdate, noTelemetry, noSandbox},
		Install:  "npm install -g @openai/codex",
		Login:    "codex login, or set OPENAI_API_KEY",
		settings: map[string]string{"CODEX_HOME": "{home}/.codex"},
		talk:     codexTalk{},
	}
}

func gemini() Agent {
	return Agent{
		Name: "gemini", Title: "Gemini CLI",
		ACP:       [][]string{{"gemini", "--acp"}},
		Headless:  "gemini",
		Keys:      []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		Variables: []string{"GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"},
		Files: []File{
			{".gemini", "", "oauth_creds.json", true},
			{".gemini", "", "google_accounts.json", false},
			{".gemini", "", "settings.json", false},
			{".gemini", "", "GEMINI.md", false},
		},
		Hosts:    []string{"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"},
		Off:      []string{noUpdate, noTelemetry, noSandbox},
		Install:  "npm install -g @google/gemini-cli",
		Login:    "gemini, and log in there, or set GEMINI_API_KEY",
		settings: map[string]string{},
		talk:     geminiTalk{},
	}
}

func opencode() Agent {
	return Agent{
		Name: "opencode", Title: "OpenCode",
		ACP:       [][]string{{"opencode", "acp"}},
		Headless:  "opencode",
		Keys:      []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"},
		Variables: []string{"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENCODE_CONFIG_CONTENT"},
		Files: []File{
			{".local/share/opencode", "", "auth.json", true},
			{".config/opencode", "", "opencode.json", false},
			{".config/opencode", "", "opencode.jsonc", false},
			{".config/opencode", "", "AGENTS.md", false},
		},
		Hosts:   []string{"opencode.ai", "models.dev", "api.anthropic.com", "api.openai.com"},
		Off:     []string{noUpdate, noTelemetry, noSandbox},
		Install: "npm install -g opencode-ai",
		Login:   "opencode auth login, or set the key of a provider, as in ANTHROPIC_API_KEY",
		settings: map[string]string{
			"XDG_DATA_HOME": "{home}/.local/share", "XDG_CONFIG_HOME": "{home}/.config",
			"XDG_STATE_HOME": "{home}/.local/state", "OPENCODE_DISABLE_AUTOUPDATE": "1",
		},
		talk: opencodeTalk{},
	}
}
