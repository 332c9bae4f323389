package agent

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
)

// plainTalk is that of an agent which somebody describes: what it prints is its
// word.
type plainTalk struct{ own []string }

func (plainTalk) args(turn, []string) []string { return nil }

func (plainTalk) read(h *heard, line []byte) {
	h.over, h.live = true, true
	h.piece(string(line) + "\n")
	h.say(string(line))
}

// put fills in the arguments of the description.
func (p plainTalk) put(c *gate.Command, s saying) {
	own := slices.Clone(p.own)
	for i, arg := range own {
		if strings.Contains(arg, "{prompt}") {
			c.Stdin = nil
		}
		own[i] = strings.NewReplacer("{prompt}", s.prompt, "{model}", s.model).Replace(arg)
	}
	c.Args = append(c.Args, own...)
}
