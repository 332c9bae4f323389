package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/cmd/internal/config"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
)

// Where configurations lie: of a repository in its folder or one above the
// workspace, of a user in the folder that the system has for that.
const (
	repositoryFile = "planlock.toml"
	userFile       = "planlock/config.toml"
)

// A configuration is what files settle for a workspace, and which files that are.
type configuration struct {
	config.Config
	looked []lookedAt
}

// A lookedAt is a place where a configuration may lie.
type lookedAt struct {
	Path  string       `json:"path"`
	Layer config.Layer `json:"layer"`
	Is    string       `json:"is"` // "configuration", "plan", which is none, or "absent"
}

// settled is what files settle of a call.
type settled struct {
	dir    string // the workspace
	config configuration
	from   map[string]origin // flags that were not typed, by name
}

// An origin is where a flag comes from that nobody typed.
type origin struct {
	config.Setting
	config.Layer
}

// settingsFor finds and reads the configurations for a workspace. The error
// joins a *[config.Error] for each thing that is wrong with them.
func settingsFor(dir string) (configuration, error) {
	var all configuration
	var faults []error
	for _, at := range []lookedAt{{Path: repositoryConfig(dir), Layer: config.Repository}, userConfig(dir)} {
		if at.Path == "" {
			continue
		}
		text, err := file.Read(at.Path)
		at.Is = "configuration"
		if large := (*plan.SizeError)(nil); errors.As(err, &large) {
			err = config.TooLarge(displayPath(at.Path))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // what is no folder is told later
			at.Is = "absent"
		case err != nil:
			faults = append(faults, err)
		case config.IsPlan(text):
			at.Is = "plan"
		default:
			settings, err := config.Read(displayPath(at.Path), text)
			all.Files = append(all.Files, config.File{Layer: at.Layer, Settings: settings})
			faults = append(faults, err, trusted(at, settings))
		}
		all.looked = append(all.looked, at)
	}
	return all, errors.Join(faults...)
}

// trusted refuses what the file of a repository may not settle at all: who
// answers questions in place of a person.
func trusted(at lookedAt, settings []config.Setting) error {
	for _, s := range settings {
		if at.Layer == config.Repository && s.Key == "answers" && s.Value[0] != "wait" && s.Value[0] != "refuse" {
			return &config.Error{Place: s.Place, Text: "answers is wait or refuse in the file of a repository",
				Hint: "rules that answer questions are a person's: settle them in your own file, or with --answers FILE"}
		}
	}
	return nil
}

// repositoryConfig is the configuration that is nearest to a workspace, from
// its folder up to the root of its repository; where there is none, the one that
// could lie in the workspace. A plan that is called so is passed over. A
// workspace that is in no repository has its own file alone.
func repositoryConfig(dir string) string {
	start, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	var folders []string
	for at := start; ; at = filepath.Dir(at) {
		folders = append(folders, at)
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
		if at == filepath.Dir(at) { // no repository
			folders = folders[:1]
			break
		}
	}
	for _, at := range folders {
		path := filepath.Join(at, repositoryFile)
		if text, err := file.Read(path); err == nil && config.IsPlan(text) && len(folders) > 1 {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
	return filepath.Join(start, repositoryFile)
}

// userConfig is where the configuration of this user lies. One that lies in the
// workspace is as little trusted as everything there.
func userConfig(dir string) lookedAt {
	base, err := os.UserConfigDir()
	if err != nil || !filepath.IsAbs(base) {
		return lookedAt{}
	}
	at := lookedAt{Path: filepath.Join(base, filepath.FromSlash(userFile)), Layer: config.User}
	if (filelog.Witness{Dir: filepath.Dir(at.Path)}).Outside(dir).Dir == "" {
		at.Layer = config.Repository
	}
	return at
}

// settle gives a call of a command the configurations for its workspace, and one
// that checks or locks a plan, or begins a run, the flags that these settle and that were not
// typed. words are flags, "--" and arguments.
func (p *cli) settle(c *command, of *kong.Node, words []string) ([]string, error) {
	in, ok := c.runner.(interface{ seats() *roles })
	if !ok {
		return words, nil
	}
	s, typed := &in.seats().settled, words[:slices.Index(words, "--")]
	if p.settled != nil {
		*s = *p.settled
		return words, nil
	}
	var err error
	s.dir = lastOf(typed, "dir", ".")
	if s.config, err = settingsFor(s.dir); err != nil {
		return nil, err
	}
	if c.name != "run" && c.name != "lock" && c.name != "mcp" && c.name != "check" { // others go on with what was settled then
		return words, nil
	}
	s.from = map[string]origin{}
	var added []string
	for _, k := range config.Keys() {
		setting, layer := s.config.Of(k.Name)
		if layer == config.Default || flagNamed(of, k.Flag) == nil || typedInstead(typed, k.Flag) {
			continue
		}
		for _, value := range setting.Value {
			added = append(added, "--"+k.Flag+"="+s.value(k.Flag, value, setting))
		}
		s.from[k.Flag] = origin{setting, layer}
	}
	return slices.Concat(added, words), nil
}

// typedInstead reports whether a call names a flag, or what takes its place: a
// program that is the default executor takes that of agents.
func typedInstead(typed []string, flag string) bool {
	return gives(typed, flag) || flag == "agent" && slices.ContainsFunc(typed, func(word string) bool {
		label, _ := labelled(strings.TrimPrefix(word, "--executor="))
		return strings.HasPrefix(word, "--executor=") && label == ""
	})
}

// value is what a setting is set to: the path of a program or a file is told from
// the folder of the file that settles it.
func (s *settled) value(flag, value string, setting config.Setting) string {
	switch flag {
	case "validator", "advisor", "researcher":
		if s.isAgent(value) {
			return value
		}
	case "answers":
		if value == "wait" || value == "refuse" {
			return value
		}
	default:
		return value
	}
	return s.path(value, setting)
}

// recalls reports whether whoever goes on with a run finds by itself who was given a
// role by a flag: an agent, or the program that a file still names for it.
func (s *settled) recalls(flag, value string) bool {
	switch flag {
	case "reviewer":
		_, value, _ = strings.Cut(value, "=")
	case "validator", "advisor", "researcher":
		if _, named := s.names(flag, value); named {
			return true
		}
	default:
		return false
	}
	return s.isAgent(value)
}

// names is the setting by which a file gives a role to the program at a path, if
// one does.
func (s *settled) names(flag, path string) (by origin, ok bool) {
	setting, layer := s.config.Of(flag)
	if layer == config.Default || s.isAgent(setting.Value[0]) {
		return origin{}, false
	}
	named, err := filepath.Abs(s.path(setting.Value[0], setting))
	return origin{setting, layer}, err == nil && named == path
}

// lastOf is what a flag was set to last, or another value.
func lastOf(typed []string, flag, otherwise string) string {
	for _, word := range typed {
		if value, ok := strings.CutPrefix(word, "--"+flag+"="); ok {
			otherwise = value
		}
	}
	return otherwise
}

// seats are the roles of a command that has them.
func (r *roles) seats() *roles { return r }

// configFaults are what is wrong with configurations, as diagnostics are shown;
// false where err is another error.
func configFaults(err error) (text string, ok bool) {
	var first *config.Error
	if !errors.As(err, &first) {
		return "", false
	}
	for i, e := range flat(err) {
		if i > 0 {
			text += "\n"
		}
		if fault := (*config.Error)(nil); errors.As(e, &fault) {
			text += fmt.Sprintf("%s:%d:%d: error: %s", fault.Place.File, fault.Place.Line, fault.Place.Column,
				fault.Text)
			if fault.Hint != "" {
				text += "\n  hint: " + fault.Hint
			}
		} else {
			text += e.Error()
		}
	}
	return text, true
}

// flat are the errors that were joined to one.
func flat(err error) (all []error) {
	if at := (*placedError)(nil); errors.As(err, &at) {
		err = at.err
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, e := range joined.Unwrap() {
		all = append(all, flat(e)...)
	}
	return all
}
