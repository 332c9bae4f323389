package native

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/internal/decode"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

// maxSize is the size up to which a plan is read.
const maxSize = 16 << 20

// Read reads a native plan from memory; name stands in positions. The error is
// a *[plan.SizeError] for text that is no plan at all by its size; all other
// faults are in the draft's Found.
func Read(name string, text []byte) (*plan.Draft, error) {
	if len(text) > maxSize {
		return nil, &plan.SizeError{Name: name, Size: int64(len(text)), Max: maxSize}
	}
	src := &plan.Text{Path: name, Text: bytes.Clone(text)}
	r := &reading{src: src, found: &plan.Diagnostics{}}
	body := bytes.TrimPrefix(src.Text, byteOrderMark)
	root, whole := tomltree.Parse(body, tomltree.Rules{Strict: true}, r.fault)
	at := &outline{src, root}
	parts := plan.Parts{Plan: plan.Plan{Profile: plan.Strict}, Format: plan.Native, Position: at.position,
		Keys: at.keys}
	switch {
	case !whole:
		parts.Broken = true
		r.notTOML(body)
	case !r.isNative(root):
		parts.Broken, parts.Format = true, plan.Unknown
		parts.Plan.Profile = ""
	default:
		parts.Plan.Profile = ""
		decode.Table(root, parts.Plan.Visit, r.take)
		open(parts.Plan.Tasks)
	}
	parts.Files, parts.Found = []plan.Text{*src}, r.found.List()
	return plan.Assemble(parts), nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// A reading is of one text, and collects what is wrong with it.
type reading struct {
	src   *plan.Text
	found *plan.Diagnostics
}

// take adds what is wrong with a table.
func (r *reading) take(f decode.Fault) {
	r.found.Add(plan.Diagnostic{Code: f.Code, Message: f.Message, Hint: f.Hint, Task: f.Task, Step: f.Step,
		Pos: r.src.Position(f.Offset)})
}

// add reports something at an offset.
func (r *reading) add(code string, offset int, message, hint string) {
	r.take(decode.Fault{Code: code, Offset: offset, Message: message, Hint: hint})
}

// fault tells what is wrong with the text as TOML.
func (r *reading) fault(f tomltree.Fault) {
	switch f.Kind {
	case tomltree.NotText:
		r.add("utf8-invalid", f.Offset, f.Text, "save the file as UTF-8")
	case tomltree.TooLarge:
		r.add("toml-too-deep", f.Offset, f.Text, "split the value up")
	case tomltree.TooDeep:
		r.add("toml-too-deep", f.Offset, f.Text, "a plan needs far fewer levels")
	case tomltree.NotTOML:
		r.add("toml-parse-error", f.Offset, "not TOML: "+f.Text, "nothing behind this place was read")
	case tomltree.Twice:
		r.add("key-duplicate", f.Offset, f.Text, "a key, and a table that is no [[list]], stands once")
	case tomltree.TwoCases:
		r.add("key-duplicate", f.Offset, f.Text, "keep one of the two")
	case tomltree.NoValue:
		r.add("value-range", f.Offset, f.Text, "")
	}
}

// An outline tells what stands where in a tree of TOML.
type outline struct {
	src  *plan.Text
	root *tomltree.Node
}

// position finds a key or the nearest thing around it.
func (o *outline) position(path string) (plan.Position, bool) {
	at, _ := o.root.Locate(path)
	return o.src.Position(at), true
}

// keys lists the names in a table.
func (o *outline) keys(path string) (names []string, written bool) {
	_, n := o.root.Locate(path)
	if n == nil || n.Kind != tomltree.Table {
		return nil, n != nil
	}
	names = make([]string, len(n.Keys))
	for i, k := range n.Keys {
		names[i] = k.Name
	}
	return names, true
}

const readHint = "a native plan is a TOML file that begins with  schema = 1"

// isNative reports whether a TOML document is a native plan, and says what is
// missing if not.
func (r *reading) isNative(root *tomltree.Node) bool {
	if schema := root.Find("schema"); schema != nil {
		if schema.Kind == tomltree.Integer && schema.Text == fmt.Sprint(plan.SchemaVersion) {
			return true
		}
		r.add("schema-unsupported", schema.At, fmt.Sprintf("the schema is %q, and this program reads schema %d",
			schema.Text, plan.SchemaVersion),
			"write  schema = 1")
		return false
	}
	for _, k := range root.Keys {
		if strings.EqualFold(k.Name, "schema") {
			code, message, hint := decode.Strange(k.Name, []string{"schema"})
			r.add(code, k.Offset, message, hint)
			return false
		}
	}
	switch {
	case root.Find("tasks") != nil && (root.Find("goal") != nil || root.Find("requirements") != nil):
		r.add("schema-missing", 0, "the plan does not say which schema it has", "write  schema = 1  on the first line")
	case len(root.Keys) == 0:
		r.add("not-a-plan", 0, "the file is empty", readHint)
	default:
		r.add("not-a-plan", 0, "this is TOML, but not a plan", readHint)
	}
	return false
}

// open says of tasks and steps that nothing of them was done: a native plan
// does not say more.
func open(tasks []plan.Task) {
	for i := range tasks {
		tasks[i].Status = plan.Open
		for j := range tasks[i].Steps {
			tasks[i].Steps[j].Status = plan.Open
		}
	}
}

// notTOML adds what a text that is no TOML looks like.
func (r *reading) notTOML(text []byte) {
	if looks := lookOf(r.src.Path, text); looks != "" {
		r.add("not-a-plan", 0, "this looks like "+looks, readHint)
	}
}

// lookOf names what a text that is no TOML looks like, or "". It serves a
// hint, so a wrong guess costs nothing.
func lookOf(name string, text []byte) string {
	start := bytes.TrimSpace(text)
	switch {
	case bytes.IndexByte(text, 0) >= 0:
		return "a binary file"
	case bytes.HasPrefix(start, []byte("{")):
		return "JSON"
	case bytes.HasPrefix(start, []byte("---\n")), bytes.HasPrefix(start, []byte("---\r\n")):
		return "Markdown with front matter, or YAML"
	case strings.HasSuffix(name, ".md"):
		return "Markdown"
	case strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".yml"):
		return "YAML"
	case bytes.HasPrefix(start, []byte("<")):
		return "XML or HTML"
	case bytes.HasPrefix(start, []byte("#!")):
		return "a script"
	}
	return ""
}
