// Package template carries out templates of text, written as those of package
// text/template are, and streams what they say.
//
// It is there for two reasons. Package text/template calls methods by their
// names, so the linker keeps every exported method of a program that links it:
// 1.6 MB in each host. And it writes strings as they are, where a document must
// escape whatever comes from strangers: here everything is escaped but what a
// function marks as [Safe].
//
//	set, err := template.Parse(files, "templates/*")
//	if err != nil {
//		return err
//	}
//	err = set.Draw(w, "summary.md", model, escape, map[string]any{"code": code})
//
// Templates have fields, variables, functions, if, with, range and template.
// There are no methods, no comparisons and no other functions than those that
// the caller gives.
package template

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"text/template/parse"
)

// Safe is text that is written as it is.
type Safe string

// A Set of templates, by the names of their files and by those that they
// define.
type Set map[string]*parse.Tree

// Parse reads the files that match a pattern, as in "templates/*".
func Parse(files fs.FS, pattern string) (Set, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	set := Set{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		tree := parse.New(path.Base(name))
		tree.Mode = parse.SkipFuncCheck
		if _, err := tree.Parse(string(text), "", "", set); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// Draw writes what a template says of data. Strings are escaped, but for those
// that are [Safe], and so is what a String method says.
//
// It is an error if a template asks for what is not there. What was written
// until then stays written.
func (s Set) Draw(w io.Writer, name string, data any, escape func(string) string, funcs map[string]any) (err error) {
	d := &drawer{out: bufio.NewWriter(w), set: s, escape: escape, funcs: funcs}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			err = fmt.Errorf("template %s: %w", name, r.error)
		default:
			panic(r)
		}
	}()
	d.template(name, reflect.ValueOf(data))
	return d.out.Flush()
}

// A fault ends the drawing of a template.
type fault struct{ error }

func fail(format string, args ...any) { panic(fault{fmt.Errorf(format, args...)}) }

// A drawer is in the middle of a template.
type drawer struct {
	out    *bufio.Writer
	set    Set
	escape func(string) string
	funcs  map[string]any
	vars   []variable // the innermost last
}

type variable struct {
	name  string
	value reflect.Value
}

// template carries out a template that sees none of the variables around it.
func (d *drawer) template(name string, data reflect.Value) {
	tree := d.set[name]
	if tree == nil {
		fail("there is no template %q", name)
	}
	outer := d.vars
	d.vars = []variable{{"$", data}}
	d.walk(data, tree.Root)
	d.vars = outer
}

// walk carries out a part of a template; dot is what it is about.
func (d *drawer) walk(dot reflect.Value, node parse.Node) {
	switch n := node.(type) {
	case *parse.ListNode:
		for _, part := range n.Nodes {
			d.walk(dot, part)
		}
	case *parse.TextNode:
		_, _ = d.out.Write(n.Text) // the writer keeps its error
	case *parse.ActionNode:
		if v := d.pipe(dot, n.Pipe); len(n.Pipe.Decl) == 0 {
			d.print(v)
		}
	case *parse.TemplateNode:
		d.template(n.Name, d.pipe(dot, n.Pipe))
	case *parse.IfNode:
		d.branch(&n.BranchNode, dot, func(reflect.Value) { d.walk(dot, n.List) })
	case *parse.WithNode:
		d.branch(&n.BranchNode, dot, func(v reflect.Value) { d.walk(v, n.List) })
	case *parse.RangeNode:
		d.branch(&n.BranchNode, dot, func(v reflect.Value) { d.each(v, n) })
	default:
		fail("%s is not understood", node)
	}
}

// branch carries out one of two parts, by whether a value is there.
func (d *drawer) branch(n *parse.BranchNode, dot reflect.Value, there func(reflect.Value)) {
	mark := len(d.vars)
	defer func() { d.vars = d.vars[:mark] }()
	switch v := d.pipe(dot, n.Pipe); {
	case truth(v):
		there(v)
	case n.ElseList != nil:
		d.walk(dot, n.ElseList)
	}
}

// each carries the body of a loop out for each element of a list.
func (d *drawer) each(list reflect.Value, n *parse.RangeNode) {
	mark := len(d.vars)
	for i := range list.Len() {
		values := []reflect.Value{reflect.ValueOf(i), list.Index(i)}
		for j, decl := range n.Pipe.Decl {
			d.vars = append(d.vars, variable{decl.Ident[0], values[j+2-len(n.Pipe.Decl)]})
		}
		d.walk(values[1], n.List)
		d.vars = d.vars[:mark]
	}
}

// pipe is the value of a pipeline, which also names it where it declares a
// variable.
func (d *drawer) pipe(dot reflect.Value, p *parse.PipeNode) reflect.Value {
	if p == nil {
		return reflect.Value{}
	}
	var v reflect.Value
	for i, cmd := range p.Cmds {
		args := make([]reflect.Value, 0, len(cmd.Args))
		for _, arg := range cmd.Args[1:] {
			args = append(args, d.operand(dot, arg))
		}
		if i > 0 {
			args = append(args, v)
		}
		if f, ok := cmd.Args[0].(*parse.IdentifierNode); ok {
			v = d.call(f.Ident, args)
		} else if v = d.operand(dot, cmd.Args[0]); len(args) > 0 {
			fail("%s is no function", cmd.Args[0])
		}
	}
	for _, decl := range p.Decl {
		if p.IsAssign {
			*d.variable(decl.Ident[0]) = v
		} else {
			d.vars = append(d.vars, variable{decl.Ident[0], v})
		}
	}
	if v.Kind() == reflect.Interface {
		return v.Elem()
	}
	return v
}

// operand is the value of an argument.
func (d *drawer) operand(dot reflect.Value, node parse.Node) reflect.Value {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return fields(dot, n.Ident)
	case *parse.VariableNode:
		return fields(*d.variable(n.Ident[0]), n.Ident[1:])
	case *parse.ChainNode:
		return fields(d.operand(dot, n.Node), n.Field)
	case *parse.PipeNode:
		return d.pipe(dot, n)
	case *parse.IdentifierNode:
		return d.call(n.Ident, nil)
	case *parse.StringNode:
		return reflect.ValueOf(n.Text)
	case *parse.NumberNode:
		return reflect.ValueOf(int(n.Int64))
	case *parse.BoolNode:
		return reflect.ValueOf(n.True)
	}
	fail("%s is not understood", node)
	return reflect.Value{}
}

// variable finds a variable, the innermost of that name first. A template
// without it is wrong.
func (d *drawer) variable(name string) *reflect.Value {
	for i := len(d.vars) - 1; i >= 0; i-- {
		if d.vars[i].name == name {
			return &d.vars[i].value
		}
	}
	fail("there is no variable %s", name)
	return nil
}

// fields follows the names of fields, one in the other.
func fields(v reflect.Value, names []string) reflect.Value {
	for _, name := range names {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			fail("there is nothing to have a field %s", name)
		}
		t := v.Type()
		if v = v.FieldByName(name); !v.IsValid() || !v.CanInterface() {
			fail("%s has no field %s", t, name)
		}
	}
	return v
}

// call calls a function; strings and numbers are converted to what it takes.
func (d *drawer) call(name string, args []reflect.Value) reflect.Value {
	f := reflect.ValueOf(d.funcs[name])
	if !f.IsValid() {
		fail("there is no function %s", name)
	}
	t := f.Type()
	if len(args) != t.NumIn() {
		fail("%s takes %d arguments, and is given %d", name, t.NumIn(), len(args))
	}
	for i, arg := range args {
		switch in := t.In(i); {
		case !arg.IsValid():
			args[i] = reflect.Zero(in)
		case !arg.Type().AssignableTo(in) && arg.Kind() == in.Kind():
			args[i] = arg.Convert(in)
		}
	}
	return f.Call(args)[0]
}

// truth is false of what is zero and of what is empty. A structure is always
// there, unless it says of itself that it is zero, as times do.
func truth(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Slice, reflect.Map:
		return v.Len() > 0
	case reflect.Struct:
		z, ok := v.Interface().(interface{ IsZero() bool })
		return !ok || !z.IsZero()
	}
	return !v.IsZero()
}

// print writes a value.
func (d *drawer) print(v reflect.Value) {
	text := fmt.Sprint(v)
	if _, shown := v.Interface().(fmt.Stringer); shown || v.Kind() == reflect.String && v.Type() != safe {
		text = d.escape(text)
	}
	_, _ = d.out.WriteString(text)
}

var safe = reflect.TypeFor[Safe]()
