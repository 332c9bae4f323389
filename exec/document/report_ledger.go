package document

import "github.com/planlock/planlock/ledger"

// An entry is what the ledger says of an attempt: declared against actual.
type entry struct {
	Tree            ledger.Digest `json:"tree"`
	Matching        []change      `json:"matching"`
	Missing         []expectation `json:"missing"`
	Extra           []change      `json:"extra"`
	SymbolsMatching []symbol      `json:"symbols_matching"`
	SymbolsExtra    []symbol      `json:"symbols_extra"`
	Symbols         []symbol      `json:"symbols"`
	Changes         []change      `json:"changes"`
	Declared        *declared     `json:"declared"`
	Lines           lineCount     `json:"lines"`
	GitMoved        []string      `json:"git_moved"`
}

// holds reports whether exactly what was declared happened.
func (e *entry) holds() bool {
	return len(e.Missing)+len(e.Extra)+len(e.SymbolsExtra) == 0
}

// declared is what a step promised to change; null symbols are not accounted.
type declared struct {
	Create        []path   `json:"create"`
	Modify        []path   `json:"modify"`
	Delete        []path   `json:"delete"`
	SymbolsAdd    []string `json:"symbols_add"`
	SymbolsRemove []string `json:"symbols_remove"`
}

// A change of one path.
type change struct {
	path
	Op     ledger.Op  `json:"op"`
	Kind   string     `json:"kind,omitempty"`
	Before *content   `json:"before,omitempty"`
	After  *content   `json:"after,omitempty"`
	Lines  *lineCount `json:"lines,omitempty"` // nil: not counted
}

// content is what stood or stands at a path.
type content struct {
	Kind   ledger.Kind   `json:"kind"`
	Mode   string        `json:"mode"`
	Size   int64         `json:"size"`
	Digest ledger.Digest `json:"digest,omitempty"`
	Target string        `json:"target,omitempty"`
}

type lineCount struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// An expectation is a declared artifact that did not happen.
type expectation struct {
	Op ledger.Op `json:"op"`
	path
	Symbol string `json:"symbol,omitempty"`
}

type symbol struct {
	Name string    `json:"name"`
	Op   ledger.Op `json:"op"`
	path
	Line int `json:"line,omitempty"`
}

// A file is the net change of one path over all accepted steps.
type file struct {
	path
	Op    ledger.Op `json:"op"`
	Lines lineCount `json:"lines"`
	Steps []string  `json:"steps"`
}

// A declaration is what a step of an observing run would have had to declare.
type declaration struct {
	Step     string `json:"step"`
	Create   []path `json:"create"`
	Modify   []path `json:"modify"`
	Delete   []path `json:"delete"`
	MaxFiles int    `json:"max_files"`
	MaxLines int    `json:"max_lines"`
}
