package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A use is what an agent is started for.
type use struct {
	home  string
	how   How
	asked bool                     // for its word alone
	get   func(name string) string // a variable of the user
}

// below is a path in its home.
func (u use) below(path string) string { return filepath.Join(u.home, filepath.FromSlash(path)) }

// A setup is what has an agent work for a step.
type setup struct {
	env  map[string]string // variables of its processes
	args []string          // behind its program and what else is said to it
	// over are settings, JSON objects by the paths of files in its home, which hold
	// whatever the user's say, and under are those that hold where the user's say
	// nothing.
	over, under map[string]string
	folder      string // below its home, which must be there; "": none must
}

// of is how the agent is set up for a use.
func (a *Agent) of(u use) setup {
	if u.get == nil {
		u.get = os.Getenv
	}
	if a.setUp == nil {
		return setup{}
	}
	return a.setUp(u)
}

// settings writes the settings of a setup into a home. Files of the user that are
// no JSON stay as they are.
func (s setup) settings(home string) error {
	root, err := os.OpenRoot(home)
	if err != nil {
		return err
	}
	defer root.Close()
	if s.folder != "" {
		if err := root.MkdirAll(filepath.FromSlash(s.folder), 0o700); err != nil {
			return err
		}
	}
	for _, name := range names(s.over, s.under) {
		at := filepath.FromSlash(name)
		text, err := readIn(root, name)
		if err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("%s: %w", name, err)
		}
		merged, ok := merge(s.under[name], string(text), s.over[name])
		if !ok || merged == string(text) {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(at, []byte(merged), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// names are those of several tables, each once.
func names(tables ...map[string]string) []string {
	var all []string
	seen := map[string]bool{}
	for _, t := range tables {
		for name := range t { // in any order: each is a file of its own
			if !seen[name] {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	return all
}

// merge joins JSON objects, of which later ones hold; ok is false where one is
// none. Empty texts say nothing.
func merge(texts ...string) (text string, ok bool) {
	all := map[string]any{}
	for _, t := range texts {
		if strings.TrimSpace(t) == "" {
			continue
		}
		var one map[string]any
		if json.Unmarshal([]byte(t), &one) != nil {
			return "", false
		}
		lay(all, one)
	}
	b, err := json.Marshal(all)
	return string(b), err == nil
}

// lay puts the members of an object over those of another.
func lay(under, over map[string]any) {
	for name, value := range over {
		inner, object := value.(map[string]any)
		if was, ok := under[name].(map[string]any); ok && object {
			lay(was, inner)
			continue
		}
		under[name] = value
	}
}
