package acp

import (
	"encoding/json"
	"errors"
	"slices"

	sdk "github.com/coder/acp-go-sdk"
)

// An update is what an agent tells of its work in session/update. It holds the
// fields of all kinds; one that has another type than it should is as good as
// missing, since agents are newer and older than this.
type update struct {
	Kind    string          `json:"sessionUpdate"`
	Content json.RawMessage `json:"content"` // a block, or those of a tool call
	toolCall
	Entries []planEntry `json:"entries"`
	Cost    *cost       `json:"cost"`
	Meta    any         `json:"_meta"`
	Message string      `json:"messageId"`
}

// aside reports whether a message is none of the answer, as a warning of the
// program is.
func (u *update) aside() bool {
	meta, _ := u.Meta.(map[string]any)
	for _, of := range meta {
		if own, ok := of.(map[string]any); ok && own["kind"] == "informational" {
			return true
		}
	}
	return false
}

// A toolCall is what an agent is at, or asks for.
type toolCall struct {
	ID        string             `json:"toolCallId"`
	Title     string             `json:"title"`
	Tool      sdk.ToolKind       `json:"kind"`
	Status    sdk.ToolCallStatus `json:"status"`
	Locations []location         `json:"locations"`
	Input     json.RawMessage    `json:"rawInput"`
}

type location struct {
	Path string `json:"path"`
}

type planEntry struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// A block is a piece of content.
type block struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Path    string `json:"path"` // of a diff
	Content *block `json:"content"`
}

// A permission is what an agent asks in session/request_permission.
type permission struct {
	Call struct {
		toolCall
		Content json.RawMessage `json:"content"`
	} `json:"toolCall"`
	Options []struct {
		ID   string                   `json:"optionId"`
		Kind sdk.PermissionOptionKind `json:"kind"`
	} `json:"options"`
}

// lenient decodes as much of text as has the types that it should have.
func lenient(text []byte, to any) error {
	err := json.Unmarshal(text, to)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return nil
	}
	return err
}

// textOf is the text of a block.
func textOf(content json.RawMessage) string {
	var b block
	if len(content) == 0 || lenient(content, &b) != nil {
		return ""
	}
	return b.Text
}

// A call is a tool call as far as it was told.
type call struct {
	tool   sdk.ToolKind
	title  string
	paths  []string
	status sdk.ToolCallStatus
	shown  bool
}

// add takes in what was told of the call.
func (c *call) add(t toolCall, content json.RawMessage) {
	if t.Tool != "" {
		c.tool = t.Tool
	}
	if t.Title != "" {
		c.title = t.Title
	}
	if t.Status != "" {
		c.status = t.Status
	}
	if paths := pathsOf(t, content); len(paths) > 0 {
		c.paths = paths
	}
}

// mostPaths bounds how many paths of a tool call are looked at.
const mostPaths = 1000

// pathsOf are the paths that a tool call is about: its locations, the files of
// its diffs, and where it names neither, those of its arguments.
func pathsOf(t toolCall, content json.RawMessage) (paths []string) {
	add := func(p string) {
		if p != "" && len(paths) < mostPaths && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	for _, l := range t.Locations {
		add(l.Path)
	}
	var blocks []block
	if len(content) > 0 && lenient(content, &blocks) == nil {
		for _, b := range blocks {
			if b.Type == "diff" {
				add(b.Path)
			}
		}
	}
	if len(paths) > 0 || len(t.Input) == 0 {
		return paths
	}
	var input map[string]any
	if lenient(t.Input, &input) == nil {
		for _, key := range []string{"file_path", "filePath", "filepath", "notebook_path", "path", "abs_path"} {
			if p, ok := input[key].(string); ok {
				add(p)
			}
		}
		if changes, ok := input["changes"].(map[string]any); ok { // by path
			for p := range changes {
				add(p)
			}
			slices.Sort(paths)
		}
	}
	return paths
}
