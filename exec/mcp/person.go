package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/plan"
)

// person is whoever sits at a client, asked by elicitation.
type person struct {
	session *sdk.ServerSession
	by      string
}

// Asked reports whether the client can show forms to a person.
func (p *person) Asked() bool {
	said := p.session.InitializeParams()
	if said == nil || said.Capabilities == nil || said.Capabilities.Elicitation == nil {
		return false
	}
	can := said.Capabilities.Elicitation
	return can.Form != nil || can.URL == nil // neither: forms are all that there was
}

// name is whose answers they are.
func (p *person) name() string {
	by := p.by
	if by == "" {
		by = "somebody"
	}
	if said := p.session.InitializeParams(); said != nil && said.ClientInfo != nil && said.ClientInfo.Name != "" {
		return fmt.Sprintf("%s (by %.60q)", by, said.ClientInfo.Name)
	}
	return by + " (by an MCP client)"
}

// show shows a form and returns what was filled in; nil where the person does
// not want to, or cannot be asked.
func (p *person) show(ctx context.Context, text string, fields schema, needed ...string) map[string]any {
	if !p.Asked() {
		return nil
	}
	filled, err := p.session.Elicit(ctx, &sdk.ElicitParams{Mode: "form", Message: text,
		RequestedSchema: schema{"type": "object", "properties": fields, "required": needed}})
	if err != nil || filled.Action != "accept" {
		return nil
	}
	return filled.Content
}

// Ask puts a question to the person, with its choices and what each comes to. An
// answer that does not count is asked for again, some times.
func (p *person) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	const tries = 3
	again := ""
	for range tries {
		if !q.Deadline.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, q.Deadline)
			defer cancel()
		}
		fields, needed := form(q)
		filled := p.show(ctx, again+ask.Render(q), fields, needed...)
		if filled == nil {
			break
		}
		text := func(name string) string { s, _ := filled[name].(string); return s }
		a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: text("choice"),
			Acknowledged: text("acknowledge"), Reason: text("reason"), By: p.name(), At: time.Now()}
		if c, ok := q.Choice(a.Choice); ok && c.Acknowledge == "" {
			a.Acknowledged = ""
		}
		err := q.Check(a)
		if err == nil {
			return a, nil
		}
		again = fmt.Sprintf("That did not count: %s\n\n", strings.TrimPrefix(err.Error(), "ask: "))
	}
	return ask.Answer{}, ask.ErrLater
}

// form is what a person fills in to answer a question.
func form(q ask.Question) (fields schema, needed []string) {
	var keys, names, words []string
	reason := false
	for _, c := range q.Choices {
		keys, names = append(keys, c.Key), append(names, c.Label+": "+c.Consequence)
		if c.Acknowledge != "" {
			words = append(words, fmt.Sprintf("for %s: %s", c.Key, c.Acknowledge))
		}
		reason = reason || c.NeedsReason
	}
	why := "why; stands in the journal"
	if reason {
		why += "; some choices are nothing without it"
	}
	fields = schema{
		"choice": schema{"type": "string", "title": "What now?", "enum": keys, "enumNames": names},
		"reason": schema{"type": "string", "title": "Reason", "description": why},
	}
	if words != nil {
		fields["acknowledge"] = schema{"type": "string", "title": "Words",
			"description": "the words that a dangerous choice wants, exactly; " + strings.Join(words, "; ")}
	}
	return fields, []string{"choice"}
}

// Accept asks whether the person accepts all that a plan needs accepted, each by
// itself.
func (p *person) Accept(ctx context.Context, codes []plan.Acknowledgement) bool {
	if len(codes) == 0 {
		return false
	}
	var text strings.Builder
	text.WriteString("The plan holds what a person must accept before it is locked:\n")
	fields, needed := schema{}, []string(nil)
	for i, a := range codes {
		name := fmt.Sprintf("accept_%d", i+1)
		fmt.Fprintf(&text, "\n%d  %s  %s\n", i+1, a.Code, a.Text)
		fields[name] = schema{"type": "boolean", "title": "Accept " + a.Code, "description": a.Text, "default": false}
		needed = append(needed, name)
	}
	filled := p.show(ctx, text.String(), fields, needed...)
	return filled != nil && !slices.ContainsFunc(needed, func(name string) bool { return filled[name] != true })
}
