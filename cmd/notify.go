package cmd

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/cmd/internal/config"
	"github.com/planlock/planlock/exec/notify"
	"github.com/planlock/planlock/ledger"
)

// notifier tells people of a run in a workspace, as files settle it.
func (s *settled) notifier(dir string) *notify.Notifier {
	n := &notify.Notifier{Workspace: dir, Command: s.rooted("notify.command")}
	contents := func() (all []string) {
		for _, arg := range n.Command {
			all = append(all, contentOf(dir, arg))
		}
		return all
	}
	began := contents()
	n.Check = func() error { // a step may have written it meanwhile
		for i, content := range contents() {
			if content != began[i] {
				return fmt.Errorf("%s is not as it was when the run began, and was not started",
					displayPath(n.Command[i]))
			}
		}
		return nil
	}
	if at, layer := s.config.Of("notify.webhook"); layer != config.Default {
		n.Webhook = at.Value[0]
	}
	if at, layer := s.config.Of("notify.desktop"); layer != config.Default {
		n.Desktop = at.Value[0] == "true"
	}
	return n
}

// tells are the claims of a repository's file to tell people, or others, of runs.
func (s *settled) tells(dir string) (all []claim) {
	at, err := filepath.Abs(dir)
	if err != nil {
		at = dir
	}
	for _, key := range []struct{ name, text string }{
		{"command", "it starts, outside of any sandbox and with all variables, "},
		{"webhook", "goals, questions and ends of runs go to "},
		{"desktop", "messages on the desktop: "},
	} {
		setting, layer := s.config.Of("notify." + key.name)
		if layer != config.Repository {
			continue
		}
		what, words := []any{"notify", key.name, at}, []string{}
		for _, word := range setting.Value {
			what, words = append(what, word, contentOf(at, s.path(word, setting))), append(words, quoted(word))
		}
		text, _ := json.Marshal(what) // of texts
		all = append(all, claim{"notify:" + key.name, setting.Place.String() + " has people told of runs",
			[]string{key.text + strings.Join(words, " ")}, ledger.Sum(text), ""})
	}
	return all
}
