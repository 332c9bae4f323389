package escalator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
)

const (
	maxRulesFile = 256 << 10 // bytes
	maxRules     = 1000
	maxMaxTimes  = 1000
	maxErrors    = 100 // more are not looked for
)

// A RuleError says what is wrong in a file of rules, and where. Line and Column
// count from 1; they are 0 where the file as a whole is wrong.
type RuleError struct {
	File         string
	Line, Column int
	Message      string
	Hint         string // how to mend it; may be empty
}

func (e *RuleError) Error() string {
	s := "ask: " + e.File
	if e.Line > 0 {
		s += fmt.Sprintf(":%d:%d", e.Line, e.Column)
	}
	s += ": " + e.Message
	if e.Hint != "" {
		s += ": " + e.Hint
	}
	return s
}

// ReadRules reads a file of rules; its errors are those of [ParseRules] and of
// the file system.
func ReadRules(file string) (*Rules, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("ask: the rules cannot be read: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("ask: the rules cannot be read: %q is not a regular file", file)
	}
	f, err := os.OpenFile(file, readFlags(), 0)
	if err != nil {
		return nil, fmt.Errorf("ask: the rules cannot be read: %w", err)
	}
	defer f.Close()
	data, err := readBounded(f, maxRulesFile)
	if err != nil {
		return nil, fmt.Errorf("ask: the rules in %q cannot be read: %w", file, err)
	}
	return ParseRules(file, data)
}

// ParseRules reads rules from TOML text: nothing but [[rules]], each with
// choice and reason and, where wanted, kind, step, acknowledge, by and
// max_times. It is strict: what it does not know, it refuses. The error joins a
// [*RuleError] for everything that is wrong, in the order of the text.
func ParseRules(name string, text []byte) (*Rules, error) {
	p := ruleParser{file: name}
	p.parse(bytes.TrimPrefix(text, []byte("\ufeff"))) // a byte order mark
	if len(p.errs) > 0 {
		slices.SortStableFunc(p.errs, func(a, b *RuleError) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		errs := make([]error, len(p.errs))
		for i, err := range p.errs {
			errs[i] = err
		}
		return nil, errors.Join(errs...)
	}
	return &Rules{Name: name, List: p.rules}, nil
}
