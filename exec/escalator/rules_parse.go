package escalator

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/planlock/planlock/exec/ask"
)

// What a file of rules may say. Neither is ever changed.
var (
	kinds = []ask.Kind{ask.StepFailed, ask.Precondition, ask.Propagation, ask.InFlight, ask.Compensation,
		ask.Repository, ask.Threshold, ask.Checkpoint, ask.Education, ask.Confirmation, ask.Deviation, ask.Dependency,
		ask.Rollback, ask.Obsolete, ask.Stage, ask.Compliance, ask.External, ask.Conflict, ask.Overlap, ask.Chain}
	ruleKeys = []string{"kind", "step", "choice", "acknowledge", "reason", "by", "max_times"}
)

// A ruleParser collects rules and everything that is wrong with them.
type ruleParser struct {
	file  string
	rules []Rule
	errs  []*RuleError

	toml unstable.Parser
	open bool            // the last of rules is being read
	head unstable.Range  // where it begins
	seen map[string]bool // its keys
	lost bool            // in a table that does not exist
}

func (p *ruleParser) add(line, column int, message, hint string) {
	p.errs = append(p.errs, &RuleError{File: p.file, Line: line, Column: column, Message: message, Hint: hint})
}

// bad notes a fault at a place of the text; so many as people read.
func (p *ruleParser) bad(at unstable.Range, message, hint string) {
	if len(p.errs) < maxErrors {
		start := p.toml.Shape(at).Start
		p.add(start.Line, start.Column, message, hint)
	}
}

// parse reads the text, and goes on behind a fault as far as that makes sense.
func (p *ruleParser) parse(text []byte) {
	if len(text) > maxRulesFile {
		p.add(0, 0, fmt.Sprintf("the file is larger than %d bytes", maxRulesFile), "")
		return
	}
	if !utf8.Valid(text) {
		p.add(0, 0, "the text is not UTF-8", "save the file as UTF-8")
		return
	}
	var ignored map[string]any // this pass only finds what is no TOML, keys that stand twice included
	if err := toml.Unmarshal(text, &ignored); err != nil {
		p.noTOML(err)
		return
	}
	p.toml.Reset(text)
	for p.toml.NextExpression() && len(p.errs) < maxErrors {
		p.expression(p.toml.Expression())
	}
	if err := p.toml.Error(); err != nil {
		p.noTOML(err)
		return
	}
	p.close()
}

// noTOML notes a fault of the syntax, behind which nothing is read.
func (p *ruleParser) noTOML(err error) {
	line, column := 0, 0
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, column = decode.Position()
	}
	p.add(line, column, "this is no TOML: "+strings.TrimPrefix(err.Error(), "toml: "), "")
}

// expression reads a key or the head of a table. What no rule has is a fault.
func (p *ruleParser) expression(n *unstable.Node) {
	if n.Kind == unstable.Comment {
		return
	}
	parts := n.Key()
	parts.Next()
	first := parts.Node()
	name, at, dotted := string(first.Data), first.Raw, !parts.IsLast()
	switch {
	case n.Kind == unstable.ArrayTable && name == "rules" && !dotted:
		p.close()
		p.open, p.lost, p.head, p.seen = true, false, at, map[string]bool{}
		p.rules = append(p.rules, Rule{})
		if len(p.rules) == maxRules+1 {
			p.bad(at, fmt.Sprintf("there are more than %d rules", maxRules), "")
		}
	case n.Kind == unstable.KeyValue && p.open && !dotted:
		p.seen[name] = true
		p.key(&p.rules[len(p.rules)-1], name, at, n.Value())
	case n.Kind == unstable.KeyValue && p.lost:
	case n.Kind == unstable.KeyValue:
		p.bad(at, fmt.Sprintf("the key %q belongs to no rule", name), "begin each rule with [[rules]]")
	default:
		p.close()
		p.lost = true
		p.bad(at, fmt.Sprintf("there is no table %q", name), "begin each rule with [[rules]]")
	}
}

// key reads one key of a rule.
func (p *ruleParser) key(r *Rule, name string, at unstable.Range, value *unstable.Node) {
	if name == "max_times" {
		n, err := strconv.ParseInt(strings.ReplaceAll(string(value.Data), "_", ""), 0, 64)
		if value.Kind != unstable.Integer || err != nil || n < 1 || n > maxMaxTimes {
			p.bad(at, fmt.Sprintf("max_times must be a whole number from 1 to %d", maxMaxTimes), "")
			return
		}
		r.MaxTimes = int(n)
		return
	}
	texts := map[string]*string{"step": &r.Step, "choice": &r.Choice, "acknowledge": &r.Acknowledge,
		"reason": &r.Reason, "by": &r.By, "kind": (*string)(&r.Kind)}
	field, ok := texts[name]
	if !ok {
		p.bad(at, fmt.Sprintf("a rule has no key %q", name), "it may have "+strings.Join(ruleKeys, ", "))
		return
	}
	if value.Kind != unstable.String || len(value.Data) == 0 {
		p.bad(at, fmt.Sprintf("%s must be a text that is not empty", name), "")
		return
	}
	*field = string(value.Data)
	if name == "kind" && !slices.Contains(kinds, r.Kind) {
		p.bad(at, fmt.Sprintf("there are no questions of kind %q", r.Kind), fmt.Sprintf("the kinds are %q", kinds))
	}
	if _, err := path.Match(r.Step, ""); name == "step" && err != nil {
		p.bad(at, fmt.Sprintf("step %q is no pattern", r.Step), `write an address, or a pattern such as "2.*"`)
	}
}

// close ends the rule that is being read.
func (p *ruleParser) close() {
	if !p.open {
		return
	}
	p.open = false
	if !p.seen["choice"] {
		p.bad(p.head, fmt.Sprintf("rule %d makes no choice", len(p.rules)), `add  choice = "KEY"`)
	}
	if !p.seen["reason"] {
		p.bad(p.head, fmt.Sprintf("rule %d gives no reason", len(p.rules)), `add  reason = "…"; it is recorded with every answer`)
	}
}
