package escalator_test

import (
	"io"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/exectest"
)

// TestConforms: all escalators keep what escalators promise.
func TestConforms(t *testing.T) {
	rules := func(text string) *escalator.Rules {
		r, err := escalator.ParseRules("rules.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for name, x := range map[string]ask.Escalator{
		"refuse":            escalator.Refuse{},
		"no rule":           rules(""),
		"a rule":            rules("[[rules]]\nchoice = \"r\"\nreason = \"once more\"\n"),
		"a folder":          &escalator.Folder{Dir: t.TempDir()},
		"a terminal":        &escalator.Terminal{In: strings.NewReader("r\n"), Out: io.Discard, By: "anna"},
		"nobody after all":  escalator.Sequence{rules(""), escalator.Refuse{}},
		"nobody whatsoever": escalator.Sequence{},
	} {
		t.Run(name, func(t *testing.T) { exectest.RunEscalator(t, x) })
	}
}
