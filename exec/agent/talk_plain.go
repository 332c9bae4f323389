package agent

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
)

// mostLast is how many lines tell why an agent failed that somebody describes.
const mostLast = 5

// plainTalk is that of an agent which somebody describes: what it prints is its
// word. Where it fails, the last lines of it are looked through for why, as it has
// no other way to say so.
type plainTalk struct{ own []string }

func (plainTalk) args(turn, []string) []string { return nil }

func (plainTalk) read(h *heard, line []byte) {
	h.over, h.live = true, true
	h.piece(string(line) + "\n")
	h.say(string(line))
	h.last = append(h.last, clip(h.shown(string(line)), 4<<10))
	h.last = h.last[max(0, len(h.last)-mostLast):]
}

// modelArg stands for the model in the arguments of a description.
const modelArg = "{model}"

// put fills in the arguments of the description.
func (p plainTalk) put(c *gate.Command, s saying) {
	own := slices.Clone(p.own)
	for i, arg := range own {
		if strings.Contains(arg, "{prompt}") {
			c.Stdin = nil
		}
		own[i] = strings.NewReplacer("{prompt}", s.prompt, modelArg, s.model).Replace(arg)
	}
	c.Args = append(c.Args, own...)
}
