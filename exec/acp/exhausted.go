package acp

import (
	"fmt"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/internal/lazyre"
)

var contextFull = lazyre.New(`(?i)prompt is too long|input is too long|context.?(length|window)|maximum context` +
	`|exceeds? (the |its )?context|too many tokens in|exceeds the maximum number of tokens` +
	"|input length and `?max_tokens`? exceed|max_output_tokens|output token maximum")

// ContextFull reports whether an error of an agent says that its context is full.
func ContextFull(text string) bool { return contextFull.MatchString(text) }

// exhausted is the error of an agent whose context, or number of requests, is used
// up.
func exhausted(agent string, stop sdk.StopReason) error {
	return fmt.Errorf("acp: %s: %w: its turn ended with %q", agent, exec.ErrContextExhausted, stop)
}

// summary is what a fresh attempt is told of one whose context was full.
func summary(message string) string {
	const limit = 4 << 10
	if len(message) > limit {
		message = "…" + strings.ToValidUTF8(message[len(message)-limit:], "")
	}
	if message == "" {
		return "An earlier attempt was cut off: its context was full. Look at less at a time."
	}
	return "An earlier attempt was cut off: its context was full. The last that it said: " + message
}
