package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/cmd/internal/config"
)

// full has every key.
const full = `# a comment
agent = ["claude=opus", "codex"]
validator = "./look"
preset = "contract" # another one
profile = "scoped"
mode = "silent"
jobs = 2
budget = 5.00
answers = "wait"
advisor = "codex"
researcher = "codex"

[agents.mine]
args = ["./mine", "--quiet"] # started
acp = true
variables = ["MINE_KEY"]
hosts = ["api.example.com"]
reads = ["~/.mine"]
silence = "5m"
model = "small"

[sandbox]
env = [
  "CI", # and why
]
writable = ["~/go/pkg/mod"]

[notify]
command = ["./tell", "--all"]
webhook = "https://example.org/hook"
desktop = true

[commit]
author = "Ana <ana@example.org>"
co_authors = ["Ben <ben@example.org>"]
hook_limit = "30s"
`

// TestReadAll reads a file that has every key there is.
func TestReadAll(t *testing.T) {
	settings, err := config.Read("planlock.toml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]config.Setting{}
	for _, s := range settings {
		have[strings.Replace(s.Key, ".mine.", ".NAME.", 1)] = s
	}
	for _, k := range config.Keys() {
		if len(have[k.Name].Value) == 0 {
			t.Errorf("%s was not read", k.Name)
		}
		if k.Doc == "" {
			t.Errorf("%s is not explained", k.Name)
		}
	}
	if s := have["sandbox.env"]; s.Place.String() != "planlock.toml:23" || !slices.Equal(s.Value, []string{"CI"}) {
		t.Errorf("sandbox.env is %+v", s)
	}
	if s := have["budget"]; s.Value[0] != "5.00" || s.Place.Line != 8 || s.Place.Column != 1 {
		t.Errorf("budget is %+v", s)
	}
}

// TestFaults: each thing that is wrong is told with its place, and how to mend it.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"agnet = 'claude'\n":                         `c.toml:1:1: there is no setting "agnet"; did you mean "agent"?`,
		"\n  [sandbx]\nenv = ['A']\n":                `c.toml:2:4: there is no setting "sandbx"; did you mean "sandbox"?`,
		"[agents.mine]\n\narg = ['x']\n":             `c.toml:3:1: there is no setting "agents.mine.arg"; did you mean "agents.mine.args"?`,
		"mode = 'loud'":                              `c.toml:1:1: mode is one of silent, dynamic, collaborative, education`,
		"jobs = -1":                                  `c.toml:1:1: jobs is a whole number`,
		"jobs = 'two'":                               `c.toml:1:1: jobs is a whole number`,
		"budget = 'much'":                            `c.toml:1:1: budget is an amount of dollars, as in "5.00"`,
		"budget = -1.0":                              `c.toml:1:1: budget is an amount of dollars`,
		"budget = nan":                               `c.toml:1:1: budget is an amount of dollars`,
		"agent = ['claude', 1]":                      `c.toml:1:1: agent is a text, or a list of texts`,
		"agent = ''":                                 `c.toml:1:1: agent is a text`,
		"validator = \"a\\u001bb\"":                  `c.toml:1:1: validator is a text`,
		"agents = { mine = { acp = 'yes' } }":        `c.toml:1:21: agents.mine.acp is true or false`,
		"agents.mine.silence = '-1m'":                `c.toml:1:1: agents.mine.silence is a time`,
		"notify.webhook = 'example.org'":             `c.toml:1:1: notify.webhook is an address, as in "https://example.org/hook"`,
		"notify.webhook = 'file:///etc/passwd'":      `c.toml:1:1: notify.webhook is an address`,
		"notify.desktop = 'yes'":                     `c.toml:1:1: notify.desktop is true or false`,
		"[[agents]]\nname = 'x'\n":                   `c.toml:1:3: there is no setting "agents"`,
		"agents = 1":                                 `c.toml:1:1: there is no setting "agents"`,
		"agent = 'a'\nagent = 'b'\n":                 `c.toml:2:`,
		"agent = \n":                                 `c.toml:1:`,
		"agent = 'a'\xff":                            `c.toml:1:12: this is not UTF-8`,
		"\xef\xbb\xbfagnet = 'a'\n":                  `c.toml:1:1: there is no setting "agnet"`,
		"wholly_other_words_than_any_setting_is = 1": `c.toml:1:1: there is no setting "wholly_other_words_than_any_setting_is"`,
		"[agents.\"a\\nb\"]\nacp = 'yes'\n":          `c.toml:2:1: "a\nb" is no name`,
		"[agents.'a=b']\nmodel = 'x'\n":              `c.toml:2:1: "a=b" is no name`,
		"[agents.'./a']\nmodel = 'x'\n":              `c.toml:2:1: "./a" is no name`,
		strings.Repeat("#", config.MaxSize+1):        `c.toml:1:1: a configuration has at most 256 KiB`,
	} {
		settings, err := config.Read("c.toml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: got %v, want %s", text, err, want)
		}
		if e := (*config.Error)(nil); !errors.As(err, &e) {
			t.Errorf("%.60q: %T is no *config.Error", text, err)
		}
		if len(settings) > 1 {
			t.Errorf("%.60q: got %v", text, settings)
		}
	}
}

// TestEachFault: what is right is taken all the same, and all that is wrong told.
func TestEachFault(t *testing.T) {
	settings, err := config.Read("c.toml", []byte("agnet = 'a'\nmode = 'silent'\nprest = 'spec'\n"))
	if len(settings) != 1 || settings[0].Key != "mode" || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("got %v, %v", settings, err)
	}
}

// TestPlansAreTold: a plan is no configuration, and the other way round.
func TestPlansAreTold(t *testing.T) {
	for text, want := range map[string]struct{ plan, config bool }{
		full:                                    {false, true},
		"":                                      {false, false},
		"# nothing\n":                           {false, false},
		"schema = 1\n":                          {true, false},
		"schema = \n":                           {true, false}, // a mistake, and meant to be a plan
		"agent = 'claude'\nschema = 1\n":        {true, false},
		"[goal]\ndescription = 'x'\n":           {true, false},
		"goal.description = 'x'\n":              {true, false},
		" [[ tasks ]]\nid = 1\n":                {true, false},
		"[sandbox]\nenv = ['A']\n":              {false, true}, // plans have that too, and a goal
		"[package]\nname = 'x'\n":               {false, false},
		"[agents.schema]\nargs = ['a']\n":       {false, true},
		"[agents.mine]\nmodel = 'schema = 1'\n": {false, true},
	} {
		if p, c := config.IsPlan([]byte(text)), config.IsConfig([]byte(text)); p != want.plan || c != want.config {
			t.Errorf("%.40q: a plan %t, a configuration %t; want %+v", text, p, c, want)
		}
	}
}

// TestPrecedence: the first file that settles a key counts, key by key.
func TestPrecedence(t *testing.T) {
	read := func(layer config.Layer, text string) config.File {
		settings, err := config.Read(string(layer), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return config.File{Layer: layer, Settings: settings}
	}
	c := config.Config{Files: []config.File{
		read(config.Repository, "agent = 'codex'\n[agents.mine]\nvariables = ['A']\n[agents.claude]\nmodel = 'opus'\n"),
		read(config.User, "agent = 'claude'\nmode = 'silent'\n[agents.mine]\nargs = ['./mine']\nsilence = '90s'\n[agents.own]\nargs = ['own']\n"),
	}}
	if s, layer := c.Of("agent"); s.Value[0] != "codex" || layer != config.Repository {
		t.Errorf("agent is %v of %s", s, layer)
	}
	if s, layer := c.Of("mode"); s.Value[0] != "silent" || layer != config.User || s.Place.Line != 2 {
		t.Errorf("mode is %v of %s", s, layer)
	}
	if _, layer := c.Of("jobs"); layer != config.Default {
		t.Errorf("jobs is of %s", layer)
	}
	agents := c.Agents()
	if len(agents) != 3 {
		t.Fatalf("got %+v", agents)
	}
	known, mine, own := agents[0], agents[1], agents[2]
	if known.Name != "claude" || known.Model != "opus" || known.Args != nil || known.Layer != config.User {
		t.Errorf("claude is %+v: a model asks for no trust", known)
	}
	if mine.Layer != config.Repository || mine.Silence != 90*time.Second || mine.Args[0] != "./mine" {
		t.Errorf("mine is %+v: what it gets to see comes from the repository", mine)
	}
	if own.Layer != config.User || own.Place.File != "user" {
		t.Errorf("own is %+v", own)
	}
	if keys := c.All(); len(keys) != 7 || keys[0].Key != "agent" || keys[2].Key != "agents.mine.args" {
		t.Errorf("all are %v", keys)
	}
}

// FuzzRead: no text makes it panic, and every setting and fault has a place
// within the text.
func FuzzRead(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("agents = { a = { args = ['x'] }, \"b.c\".model = 'y' }\n"))
	f.Add([]byte("[agents.\"\"]\nargs = []\n"))
	f.Add([]byte("[[agents]]\n[agents.x]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		settings, err := config.Read("f", text)
		lines := strings.Count(string(text), "\n") + 1
		for _, s := range settings {
			if s.Place.Line < 1 || s.Place.Line > lines {
				t.Errorf("%+v of %d lines", s, lines)
			}
		}
		var e *config.Error
		if errors.As(err, &e) && (e.Place.Line < 1 || e.Place.Line > lines+1) {
			t.Errorf("%+v of %d lines", e, lines)
		}
		if err != nil && e == nil {
			t.Errorf("%v is no *config.Error", err)
		}
		config.IsConfig(text)
		c := config.Config{Files: []config.File{{Layer: config.User, Settings: settings}}}
		c.Agents()
		if len(c.All()) != len(settings) {
			t.Errorf("all are %d of %d", len(c.All()), len(settings))
		}
	})
}
