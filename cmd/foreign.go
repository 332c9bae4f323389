package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/cmd/internal/config"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// code is what accepts a seat, as it is typed.
func (s seat) code() string {
	if s.agent != nil {
		return plan.AgentCode(s.name)
	}
	return "program:" + s.flag
}

// foreign reports whether the seat is a repository's word, so that a person must
// accept it: who is seated, what is started under the name of an agent, or what
// that starts besides.
func (s seat) foreign(c config.Config, dir string) bool {
	switch {
	case s.from.Layer == config.Repository:
		return true
	case s.agent == nil:
		return false
	}
	return len(s.agent.Agent().Obeyed(dir)) > 0 || slices.ContainsFunc(c.Agents(), func(a config.Agent) bool {
		return a.Name == s.name && a.Layer == config.Repository
	})
}

// says is what is accepted with a seat in a workspace, a line each; its digest is
// what is kept. Of an agent that a file describes that is the whole command, with
// the content of the files that it names; of a known one, what it obeys in the
// workspace. Both hold in this workspace alone.
func (s seat) says(ctx context.Context, dir string) (lines []string, digest ledger.Digest, err error) {
	if s.agent == nil {
		content, err := fileDigest(s.name)
		if err != nil {
			return nil, "", err
		}
		return []string{"it is the program " + s.name},
			ledger.Sum(fmt.Appendf(nil, "program\n%s\n%s\n%s", s.flag, s.name, content)), nil
	}
	needs, err := s.agent.Needs(ctx)
	if err != nil {
		return nil, "", err
	}
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", err
	}
	command, obeyed := s.agent.Agent().Command(), s.agent.Agent().Obeyed(at)
	obeys := slices.Sorted(maps.Keys(obeyed))
	what := []string{"agent", s.name}
	if len(command)+len(obeys) > 0 {
		what = append(what, at)
	}
	for _, arg := range command {
		what = append(what, arg, contentOf(at, arg))
	}
	for _, name := range obeys {
		what = append(what, name, string(obeyed[name]))
	}
	var words []string
	for _, arg := range command {
		words = append(words, quoted(arg))
	}
	for _, part := range []struct {
		text  string
		words []string
		by    string
	}{
		{"it starts ", words, " "},
		{"it obeys, with all that it gets, what these files of the workspace say: ", obeys, ", "},
		{"it gets the values of ", needs.Variables, ", "},
		{"it gets copies of ", needs.Reads, ", "},
		{"it may refresh ", needs.Writes, ", "},
		{"it " + reaches(needs.Enforced) + " ", needs.Hosts, ", "},
	} {
		if len(part.words) > 0 {
			lines = append(lines, part.text+strings.Join(part.words, part.by))
		}
	}
	text, err := json.Marshal(needs)
	return lines, ledger.Sum(append([]byte(strings.Join(what, "\n")), text...)), err
}

// reaches says how hosts are held to, before their names.
func reaches(enforced bool) string {
	if enforced {
		return "reaches nobody but"
	}
	return "reaches, not held to it,"
}

// contentOf tells the content of the file that an argument names, which may be
// relative to the workspace; "" where it names none.
func contentOf(dir, arg string) string {
	if !filepath.IsAbs(arg) {
		arg = filepath.Join(dir, arg)
	}
	digest, _ := fileDigest(arg) // what cannot be read says nothing
	return string(digest)
}

// fileDigest is that of the content of a file; "" of what is no file.
func fileDigest(name string) (ledger.Digest, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	return ledger.Sum(text), nil
}
