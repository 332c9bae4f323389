package config

import (
	"slices"
	"strings"
	"time"
)

// Layer is whose word a setting is.
type Layer string

// Layers, the one that counts first first.
const (
	Flag       Layer = "flag"       // of the call
	Repository Layer = "repository" // planlock.toml, which came with the code
	User       Layer = "user"       // config.toml of whoever calls
	Default    Layer = "default"    // nobody's
)

// A File is a configuration that was read.
type File struct {
	Layer    Layer
	Settings []Setting
}

// A Config is what files settle: of several that settle a key the first counts.
// The zero value settles nothing.
type Config struct {
	Files []File
}

// Of is the setting of a key, and whose it is.
func (c Config) Of(key string) (Setting, Layer) {
	for _, f := range c.Files {
		if i := slices.IndexFunc(f.Settings, func(s Setting) bool { return s.Key == key }); i >= 0 {
			return f.Settings[i], f.Layer
		}
	}
	return Setting{}, Default
}

// All are the settings that count, in the order of [Keys], and of those with a
// name in the order of the names.
func (c Config) All() []Setting {
	var all []Setting
	for _, k := range Keys() {
		all = append(all, c.Under(k)...)
	}
	return all
}

// Under are the settings of a key that count: one at most, and one of each name
// where the key stands for many.
func (c Config) Under(k Key) []Setting {
	var all []Setting
	for _, name := range c.names(k.Name) {
		s, _ := c.Of(name)
		all = append(all, s)
	}
	return all
}

// names are the keys that are settled of a kind such as agents.NAME.model,
// sorted.
func (c Config) names(kind string) []string {
	before, after, named := strings.Cut(kind, "NAME")
	var list []string
	for _, f := range c.Files {
		for _, s := range f.Settings {
			if s.Key == kind || named && strings.HasPrefix(s.Key, before) && strings.HasSuffix(s.Key, after) {
				list = append(list, s.Key)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// An Agent is one that files describe, or of which they settle the model.
type Agent struct {
	Name      string
	Args      []string // nil: it is a known agent
	ACP       bool
	Variables []string
	Hosts     []string
	Reads     []string
	Model     string
	Silence   time.Duration // 0: as it is
	// Layer is Repository where a file of the repository says what is started,
	// or what that gets to see.
	Layer Layer
	Place Place // of the first of its settings that counts
}

// Agents are those that are settled, sorted by name.
func (c Config) Agents() []Agent {
	var all []Agent
	for _, f := range c.Files {
		for _, s := range f.Settings {
			rest, ok := strings.CutPrefix(s.Key, "agents.")
			if !ok {
				continue
			}
			name := rest[:strings.LastIndexByte(rest, '.')]
			if !slices.ContainsFunc(all, func(a Agent) bool { return a.Name == name }) {
				all = append(all, c.agent(name))
			}
		}
	}
	slices.SortFunc(all, func(a, b Agent) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// agent is what files settle of an agent.
func (c Config) agent(name string) Agent {
	a := Agent{Name: name, Layer: User}
	take := func(key string) []string {
		s, layer := c.Of("agents." + name + "." + key)
		if layer == Default {
			return nil
		}
		if layer == Repository && key != "model" && key != "silence" {
			a.Layer = Repository
		}
		if a.Place.Line == 0 {
			a.Place = s.Place
		}
		return s.Value
	}
	one := func(key string) string {
		if words := take(key); len(words) > 0 {
			return words[0]
		}
		return ""
	}
	a.Args, a.ACP = take("args"), one("acp") == "true"
	a.Variables, a.Hosts, a.Reads = take("variables"), take("hosts"), take("reads")
	a.Model = one("model")
	a.Silence, _ = time.ParseDuration(one("silence")) // it was read before
	return a
}
