package acp

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// A recorded agent says what it says whatever it is told, and ends.
type recorded string

func (r recorded) Run(_ context.Context, c gate.Command) (gate.CommandResult, error) {
	for rest := []byte(r); len(rest) > 0; {
		n := min(len(rest), 100)
		c.Stdout.Write(rest[:n])
		rest = rest[n:]
	}
	return gate.CommandResult{Output: string(r)}, nil
}

const (
	saidHello = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[{"id":"x"}]}}` + "\n"
	saidOpen  = `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s","modes":{"availableModes":[{"id":"a"}]}}}` + "\n"
	saidDone  = `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":2}}}` + "\n"
)

// told is a line of session/update.
func told(u string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + u + "}}\n"
}

// FuzzAgent: whatever an agent sends, the attempt ends soon, and what is shown of
// it is text.
func FuzzAgent(f *testing.F) {
	f.Add(saidHello + saidOpen + told(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}`) + saidDone)
	f.Add(saidHello + saidOpen + told(`{"sessionUpdate":"tool_call","toolCallId":"1","kind":"edit","title":"t","locations":[{"path":"/w/a"}],"rawInput":{"changes":{"b":1}}}`) +
		told(`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"failed","content":[{"type":"diff","path":"/w/a","newText":""}]}`) +
		told(`{"sessionUpdate":"plan","entries":[{"content":"x","status":"in_progress"}]}`) +
		told(`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1e9,"currency":"USD"}}`) + saidDone)
	f.Add(saidHello + saidOpen + `{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"toolCall":{"toolCallId":"1","kind":"edit","locations":[{"path":"../x"}]},"options":[{"optionId":"n","kind":"reject_once"}]}}` + "\n" + saidDone)
	f.Add(saidHello + `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required","data":{"details":["x"]}}}` + "\n")
	f.Add(saidHello + saidOpen + `{"jsonrpc":"2.0","id":3,"error":{"code":429,"message":"resets at 14:00 (UTC)"}}` + "\n")
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1"}}` + "\n{}\n[]\nnull\n\x00")
	f.Add(`{"id":1e400,"method":"x"}` + "\n" + `{"id":[1],"method":"session/update","params":{"update":{"sessionUpdate":null,"content":[[[]]]}}}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		bound := usual
		bound.line, bound.strange, bound.waiting, bound.asks, bound.shown = 4<<10, 10, 8, 10, 1<<10
		bound.answer, bound.open, bound.stop, bound.leave, bound.late = time.Second, time.Second, time.Millisecond, time.Millisecond, time.Millisecond
		var out bytes.Buffer
		w := exec.Work{Dir: t.TempDir(), Output: &out, Runner: recorded(text), Bound: true,
			Step: &plan.Step{Artifacts: &plan.Artifacts{Create: []string{"a"}}},
			Activity: func(text string) {
				if strings.ContainsAny(text, "\n\x1b") || !utf8.ValidString(text) {
					t.Errorf("activity %q", text)
				}
			}}
		x := &Executor{Args: []string{"agent"}, bound: &bound}
		begin := time.Now()
		o, err := x.Execute(context.Background(), w)
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
		if !utf8.Valid(out.Bytes()) || out.Len() > 2<<10 {
			t.Errorf("output of %d bytes: %q", out.Len(), out.String())
		}
		if err != nil && !utf8.ValidString(err.Error()) {
			t.Errorf("error %q", err)
		}
		if o.Usage.Cost < 0 || o.Usage.InputTokens < 0 || o.Usage.OutputTokens < 0 {
			t.Errorf("usage %+v", o.Usage)
		}
	})
}
