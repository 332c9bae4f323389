package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/cmd/internal/config"
	"github.com/planlock/planlock/exec/notify"
)

// configCommand is "planlock config": it says what is settled for the runs of a
// workspace, and where each setting comes from. Given flags of run, it says what
// they change. It starts nothing.
type configCommand struct {
	arguments
	workspaceFlag
	Format       string   `enum:"text,json" default:"text" placeholder:"FORMAT" help:"the output's format: text or json"`
	Agent        []string `sep:"none" placeholder:"NAME" help:"as of run"`
	Validator    string   `placeholder:"X" help:"as of run"`
	Advisor      string   `placeholder:"X" help:"as of run"`
	Researcher   string   `placeholder:"X" help:"as of run"`
	Preset       string   `placeholder:"NAME" help:"as of run"`
	Profile      string   `placeholder:"PROFILE" help:"as of run"`
	Mode         string   `placeholder:"MODE" help:"as of run"`
	Jobs         string   `placeholder:"N" help:"as of run"`
	Budget       string   `placeholder:"AMOUNT" help:"as of run"`
	Answers      string   `placeholder:"POLICY" help:"as of run"`
	CommitAuthor string   `placeholder:"NAME" help:"as of run"`
	CoAuthor     []string `sep:"none" placeholder:"NAME" help:"as of run"`
	HookLimit    string   `placeholder:"DURATION" help:"as of run"`
	Env          []string `sep:"none" placeholder:"NAME" help:"as of run"`
	Writable     []string `sep:"none" placeholder:"FOLDER" help:"as of run"`
}

// flagged are the flags that were typed, by their names.
func (f *configCommand) flagged() map[string][]string {
	all := map[string][]string{"agent": f.Agent, "co-author": f.CoAuthor, "env": f.Env, "writable": f.Writable}
	for name, value := range map[string]string{"validator": f.Validator, "advisor": f.Advisor,
		"researcher": f.Researcher, "preset": f.Preset, "profile": f.Profile, "mode": f.Mode, "jobs": f.Jobs,
		"budget": f.Budget, "answers": f.Answers, "commit-author": f.CommitAuthor, "hook-limit": f.HookLimit} {
		if value != "" {
			all[name] = []string{value}
		}
	}
	return all
}

// Run carries the command out.
func (f *configCommand) Run(_ context.Context, p *cli) error {
	found, err := settingsFor(f.Dir)
	if err != nil {
		return err
	}
	doc := configJSON{Schema: "planlock.config/1", Files: found.looked, Settings: f.settings(found.Config)}
	if doc.Files == nil {
		doc.Files = []lookedAt{}
	}
	if f.Format == "json" {
		return writeJSON(p.out, doc)
	}
	width := 0
	for _, s := range doc.Settings {
		width = max(width, len(escaped(s.shown())))
	}
	for _, s := range doc.Settings {
		fmt.Fprintf(p.out, "%-17s  %-*s  %s\n", escaped(s.Key), min(width, 40), escaped(s.shown()), escaped(s.where()))
	}
	fmt.Fprintln(p.out)
	for _, at := range doc.Files {
		said := map[string]string{"absent": "is not there", "configuration": "was read",
			"plan": "is a plan (it has a schema, a goal or tasks), and no configuration"}[at.Is]
		fmt.Fprintf(p.out, "%s: %s %s\n", at.Layer, escaped(displayPath(at.Path)), said)
	}
	return nil
}

// configJSON is the document of "config --format json".
type configJSON struct {
	Schema   string        `json:"schema"`
	Files    []lookedAt    `json:"files"`
	Settings []settingJSON `json:"settings"`
}

// settingJSON is one setting.
type settingJSON struct {
	Key   string       `json:"key"`
	Value []string     `json:"value"` // null: nobody settled it
	From  config.Layer `json:"from"`
	File  string       `json:"file,omitempty"`
	Line  int          `json:"line,omitempty"`

	unset string // what is so where nobody settled it
	flag  string
}

// settings are all settings, those of agents only where there are any.
func (f *configCommand) settings(c config.Config) []settingJSON {
	var all []settingJSON
	flags := f.flagged()
	for _, k := range config.Keys() {
		if words := flags[k.Flag]; len(words) > 0 {
			all = append(all, settingJSON{Key: k.Name, Value: words, From: config.Flag, flag: k.Flag})
			continue
		}
		settled := c.Under(k)
		for _, s := range settled {
			_, layer := c.Of(s.Key)
			if k.Kind == config.Address { // who knows it can use it
				s.Value = []string{notify.Host(s.Value[0])}
			}
			all = append(all, settingJSON{Key: s.Key, Value: s.Value, From: layer, File: s.Place.File,
				Line: s.Place.Line})
		}
		if len(settled) == 0 && !k.Named() {
			all = append(all, settingJSON{Key: k.Name, From: config.Default, unset: k.Unset})
		}
	}
	return all
}

// shown is the value, for people.
func (s settingJSON) shown() string {
	if s.From == config.Default {
		return "(" + s.unset + ")"
	}
	return strings.Join(s.Value, ", ")
}

// where is where the setting comes from, for people.
func (s settingJSON) where() string {
	switch s.From {
	case config.Flag:
		return "--" + s.flag
	case config.Default:
		return string(config.Default)
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}
