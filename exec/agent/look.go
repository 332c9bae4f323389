package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
)

// A program is what an agent is driven by.
type program struct {
	how  How
	path string
	args []string // behind it
}

// find finds the program of an agent in the PATH that it will have itself. how is
// the only way to look for; "" is any, the Agent Client Protocol first.
func (a *Agent) find(how How) (program, error) {
	env := environ.For(nil)
	if how != Headless {
		for _, c := range a.ACP {
			if path, err := environ.Look(c[0], ".", env); err == nil {
				return program{ACP, path, c[1:]}, nil
			}
		}
	}
	if how != ACP && a.Headless != "" {
		if path, err := environ.Look(a.Headless, ".", env); err == nil {
			return program{how: Headless, path: path}, nil
		}
	}
	return program{}, &MissingError{Agent: a.Name, Try: a.Install}
}

// Look looks for the agent on this machine. It asks the agent for its version
// where no file beside its program says it, and no service for anything.
func (a *Agent) Look(ctx context.Context) State {
	s := State{Agent: a.Name, LoggedIn: a.login(), Needs: a.needs(nil)}
	p, err := a.find("")
	if err != nil {
		s.Missing = a.Install
		return s
	}
	s.Path, s.How = p.path, p.how
	if a.own == nil {
		s.Version, _ = p.version(ctx) // it is told where there is one
	}
	if s.LoggedIn == "" {
		s.Missing = a.Login
	}
	return s
}

// Unnamed is the provider of the models that the agent's key is for, where nobody
// named a model and the agent takes one of its own service then, whatever key is
// there: it waits for that where it cannot be reached. "" where there is nothing to
// name.
func (e *Executor) Unnamed() string {
	a := &e.agent
	if e.o.Model != "" || a.keyOf == nil || strings.Contains(os.Getenv("OPENCODE_CONFIG_CONTENT"), modelSetting) {
		return ""
	}
	for _, f := range a.Files {
		path, err := f.source()
		if err != nil || f.Login {
			continue
		}
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), modelSetting) {
			return ""
		}
	}
	key := a.login()
	for provider, name := range a.keyOf {
		if name == key && provider != a.Name {
			return provider
		}
	}
	return ""
}

// modelSetting names the model in settings of an agent whose keys are of providers.
const modelSetting = `"model"`

// login is by what the agent is logged in: the name of a variable, or the path of
// a file as people write it; "" where nothing is found.
func (a *Agent) login() string {
	for _, name := range a.Keys {
		if os.Getenv(name) != "" {
			return name
		}
	}
	for _, f := range a.Files {
		if path, err := f.source(); f.Login && err == nil && regular(path) {
			return f.shown()
		}
	}
	return ""
}

// needs are what the agent needs, with more variables of the host's.
func (a *Agent) needs(more []string) exec.Needs {
	n := exec.Needs{Home: true, Hosts: a.Hosts, Off: a.Off}
	n.Variables = append(append(append(n.Variables, a.Keys...), a.Variables...), more...)
	for _, f := range a.Files {
		path, err := f.source()
		if err != nil {
			continue // nobody has a home here
		}
		n.Reads = append(n.Reads, path)
		if f.Login {
			n.Writes = append(n.Writes, path)
		}
	}
	return n
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// versionTime is how long a program has to tell its version.
const versionTime = 10 * time.Second

// versions are what a version looks like.
var versions = lazyre.New(`\d+\.\d+(?:\.\d+)?[-+.\w]*`)

// version is what the package of a program says, or the program itself.
func (p program) version(ctx context.Context) (string, error) {
	if v := p.packaged(); v != "" {
		return v, nil
	}
	dir, err := os.MkdirTemp("", "planlock-version-")
	if err != nil {
		return "", fmt.Errorf("agent: version of %s: %w", p.path, err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	runner := &process.Runner{Dir: dir, OutputLimit: 64 << 10}
	result, err := runner.Run(ctx, gate.Command{Args: []string{p.path, "--version"}, Env: []string{"HOME=" + dir}})
	if err != nil {
		return "", fmt.Errorf("agent: version of %s: %w", p.path, err)
	}
	if v := versions.FindString(result.Stdout); result.Exit == 0 && v != "" {
		return clip(v, 100), nil
	}
	return "", nil
}

// packaged is the version that the package.json beside a program says; "" where
// there is none. Most agents are such packages, and take seconds to start.
func (p program) packaged() string {
	path, err := filepath.EvalSymlinks(p.path)
	if err != nil {
		return ""
	}
	for range 4 {
		path = filepath.Dir(path)
		text, err := os.ReadFile(filepath.Join(path, "package.json"))
		if err != nil {
			continue
		}
		var says struct{ Name, Version string }
		if json.Unmarshal(text, &says) == nil && says.Name != "" && says.Version != "" {
			return clip(strings.TrimSpace(says.Version), 100)
		}
	}
	return ""
}
