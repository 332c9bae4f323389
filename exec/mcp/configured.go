package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
)

// RepositoryFile is the file of a repository that says which servers it has.
const RepositoryFile = ".mcp.json"

// A FileError says what is wrong with a file of servers.
type FileError struct {
	Path string
	Why  string
}

func (e *FileError) Error() string { return fmt.Sprintf("mcp: %s: %s", e.Path, e.Why) }

// configured is a server as a file has it.
type configured struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`

	file   string // where it stands
	digest string // of what the file says of it
	theirs bool   // the file belongs to the repository
}

// ReadFiles reads servers from files as clients have them ("mcpServers"): that of
// the repository in dir, if it is there, whose servers a person has to accept by
// a digest before they are started, and then files that a person named, which
// replace servers of the same name. The value is nil where there is no file.
//
// What is wrong with the file of the repository is said where a server is looked
// for: runs that want none are not its business.
func ReadFiles(dir string, files ...string) (*Servers, error) {
	s := &Servers{Dir: dir}
	theirs := filepath.Join(dir, RepositoryFile)
	switch err := s.read(theirs, true); {
	case errors.Is(err, fs.ErrNotExist) && len(files) == 0:
		return nil, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		s.fault = err
	}
	for _, path := range files {
		if err := s.read(path, false); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// plainName is what a server may be called.
func plainName(name string) bool {
	return name != "" && len(name) <= 100 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_. /@", r))
	})
}

// read reads the servers of a file.
func (s *Servers) read(path string, theirs bool) error {
	text, err := file.Read(path)
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	var doc struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return &FileError{path, "it is no JSON object with mcpServers: " + err.Error()}
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Servers)) {
		var c configured
		if err := json.Unmarshal(doc.Servers[name], &c); err != nil {
			return &FileError{path, fmt.Sprintf("server %q: %v", name, err)}
		}
		switch {
		case !plainName(name):
			return &FileError{path, fmt.Sprintf("server %q: a name has letters, digits, and - _ . / @", name)}
		case (c.Command == "") == (c.URL == ""):
			return &FileError{path, fmt.Sprintf("server %q: give either command or url", name)}
		case c.Type != "" && (c.Type == "stdio") != (c.Command != ""):
			return &FileError{path, fmt.Sprintf("server %q: type %q does not go with it", name, c.Type)}
		}
		var plain bytes.Buffer
		if err := json.Compact(&plain, doc.Servers[name]); err != nil {
			return &FileError{path, err.Error()}
		}
		sum := sha256.Sum256(plain.Bytes())
		c.file, c.theirs, c.digest = path, theirs, hex.EncodeToString(sum[:])
		if s.known == nil {
			s.known = map[string]configured{}
		}
		s.known[name] = c
	}
	return nil
}

// Names are the names of all servers.
func (s *Servers) Names() []string { return slices.Sorted(maps.Keys(s.known)) }

// Where is the file that configures a server; "": none does, and err is what is
// wrong with that of the repository.
func (s *Servers) Where(name string) (file string, err error) {
	if c, ok := s.known[name]; ok {
		return c.file, nil
	}
	return "", s.fault
}

// Find is of [exec.ToolServers]: what a person has to accept of a server of the
// repository, since it is code of the repository that is started.
func (s *Servers) Find(name string) (accept plan.Acknowledgement, found bool) {
	c, ok := s.known[name]
	if !ok || !c.theirs {
		return accept, ok || s.fault != nil
	}
	accept.Code = plan.ServerCode(name, c.digest[:12])
	accept.Text = fmt.Sprintf("%s of the repository has tool server %q started: %s", RepositoryFile, name, c.what())
	return accept, true
}

// what is what is started, for people: without values of variables, of which the
// digest has the spelling in the file.
func (c configured) what() string {
	text := "the server at " + c.URL
	if c.Command != "" {
		text = strings.Join(append([]string{c.Command}, c.Args...), " ")
	}
	names := slices.Sorted(maps.Keys(c.Env))
	for _, value := range append(slices.Collect(maps.Values(c.Env)), slices.Collect(maps.Values(c.Headers))...) {
		for _, m := range variable().FindAllStringSubmatch(value, -1) {
			names = append(names, m[1])
		}
	}
	if slices.Sort(names); len(names) > 0 {
		text += "; it gets the variables " + strings.Join(slices.Compact(names), ", ")
	}
	return text
}

// variable is a variable of the environment in a value, as in "${TOKEN}" or
// "${TOKEN:-none}".
func variable() *regexp.Regexp {
	return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}`)
}

// expanded is a value with the variables that it names.
func expanded(value string) string {
	return variable().ReplaceAllStringFunc(value, func(text string) string {
		m := variable().FindStringSubmatch(text)
		if set, ok := os.LookupEnv(m[1]); ok {
			return set
		}
		return m[2]
	})
}
