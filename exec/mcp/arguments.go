package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
)

// fit looks whether a server has the tools that the steps of a plan call, and
// whether the arguments are what each takes, as far as its schema says it simply.
func (o *open) fit(p *plan.Plan, tools []*sdk.Tool) error {
	for _, s := range p.Steps() {
		calls := [][]string{{s.Tool}}
		if args, err := s.ToolArgs.JSON(); err == nil {
			calls[0] = append(calls[0], string(args))
		}
		for _, b := range s.Backups {
			calls = append(calls, append([]string{b.Tool}, b.ToolArgs...))
		}
		for _, call := range calls {
			if of, tool, _ := plan.ToolOf(call[0]); of == o.name {
				if _, why := o.argumentsOf(tools, tool, call[1:]); why != "" {
					return &exec.CallError{Step: s.Address, Tool: call[0], Why: why}
				}
			}
		}
	}
	return nil
}

// takes is what a tool takes: of its schema, what is judged before it is called.
type takes struct {
	Properties map[string]struct {
		Type any   `json:"type"`
		Enum []any `json:"enum"`
	} `json:"properties"`
	Required             []string `json:"required"`
	AdditionalProperties any      `json:"additionalProperties"`
}

// argumentsOf are the arguments of a call: one JSON object, or words, each
// NAME=VALUE, of which the value is a text unless the tool takes something else.
// why says what does not fit the tool.
func (o *open) argumentsOf(tools []*sdk.Tool, tool string, words []string) (args map[string]any, why string) {
	i := slices.IndexFunc(tools, func(t *sdk.Tool) bool { return t.Name == tool })
	if i < 0 {
		return nil, "its server has no such tool; " + o.has(tools)
	}
	var taken takes
	if text, err := json.Marshal(tools[i].InputSchema); err == nil {
		_ = json.Unmarshal(text, &taken) // what is no schema says nothing
	}
	args = map[string]any{}
	for _, word := range words {
		if strings.HasPrefix(word, "{") {
			if err := numbersKept(word, &args); err != nil {
				return nil, fmt.Sprintf("its arguments are no JSON object: %q", word)
			}
			continue
		}
		name, text, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, fmt.Sprintf("argument %q is not NAME=VALUE", word)
		}
		args[name] = text
		if of := taken.Properties[name].Type; of != nil && !isOf(text, of) {
			var value any
			if err := numbersKept(text, &value); err == nil {
				args[name] = value
			}
		}
	}
	return args, o.veil.Replace(taken.misfit(args))
}

// has lists the tools of a server, for people.
func (o *open) has(tools []*sdk.Tool) string {
	const most = 20
	var names []string
	for _, t := range tools[:min(most, len(tools))] {
		names = append(names, fmt.Sprintf("%.60q", o.veil.Replace(t.Name)))
	}
	if len(names) == 0 {
		return "it has none"
	}
	if more := len(tools) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return "it has " + strings.Join(names, ", ")
}

// misfit says what of arguments a tool does not take; "" where nothing is known.
func (t takes) misfit(args map[string]any) string {
	for _, name := range t.Required {
		if _, ok := args[name]; !ok {
			return fmt.Sprintf("it needs an argument %q", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		wanted, known := t.Properties[name]
		switch {
		case !known && t.AdditionalProperties == false:
			return fmt.Sprintf("it takes no argument %q; it takes %s", name,
				strings.Join(slices.Sorted(maps.Keys(t.Properties)), ", "))
		case known && wanted.Type != nil && !isOf(args[name], wanted.Type):
			return fmt.Sprintf("argument %q is to be %v, and is not", name, wanted.Type)
		case known && len(wanted.Enum) > 0 && !slices.ContainsFunc(wanted.Enum,
			func(one any) bool { return fmt.Sprint(one) == fmt.Sprint(args[name]) }):
			return fmt.Sprintf("argument %q is to be one of %v", name, wanted.Enum)
		}
	}
	return ""
}

// isOf reports whether a value is of a type of JSON schema, or of one of several;
// of types that it does not know everything is.
func isOf(value, types any) bool {
	if several, ok := types.([]any); ok {
		return slices.ContainsFunc(several, func(one any) bool { return isOf(value, one) })
	}
	ok := true
	switch types {
	case "string":
		_, ok = value.(string)
	case "boolean":
		_, ok = value.(bool)
	case "number":
		_, ok = value.(json.Number)
	case "integer":
		n, number := value.(json.Number)
		r, valid := new(big.Rat).SetString(cut(n.String()))
		ok = number && valid && r.IsInt()
	case "array":
		_, ok = value.([]any)
	case "object":
		_, ok = value.(map[string]any)
	case "null":
		ok = value == nil
	}
	return ok
}

// cut is a number as far as it is looked at: one with a huge exponent is not worked out.
func cut(number string) string {
	if len(number) > 40 || strings.ContainsAny(number, "eE") && len(number) > 8 {
		return ""
	}
	return number
}

// numbersKept reads a JSON value, with its numbers as they are written.
func numbersKept(text string, to any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(to); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("something follows")
	}
	return nil
}
