package golang

import (
	"go/ast"
	"go/token"
	"strings"
)

// exprText writes an expression on one line, as gofmt would where that has one
// line. Two expressions that differ in more than their layout are written
// differently. Package go/printer would do, but it is as large as all that a
// host links of this module's gates.
func exprText(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.BasicLit:
		return x.Value
	case *ast.SelectorExpr:
		return exprText(x.X) + "." + x.Sel.Name
	case *ast.StarExpr:
		return "*" + exprText(x.X)
	case *ast.ParenExpr:
		return "(" + exprText(x.X) + ")"
	case *ast.UnaryExpr:
		return x.Op.String() + exprText(x.X)
	case *ast.BinaryExpr:
		return exprText(x.X) + " " + x.Op.String() + " " + exprText(x.Y)
	case *ast.KeyValueExpr:
		return exprText(x.Key) + ": " + exprText(x.Value)
	case *ast.IndexExpr:
		return exprText(x.X) + "[" + exprText(x.Index) + "]"
	case *ast.IndexListExpr:
		return exprText(x.X) + "[" + exprTexts(x.Indices) + "]"
	case *ast.SliceExpr:
		return sliceText(x)
	case *ast.CallExpr:
		return callText(x)
	case *ast.TypeAssertExpr:
		if x.Type == nil {
			return exprText(x.X) + ".(type)"
		}
		return exprText(x.X) + ".(" + exprText(x.Type) + ")"
	case *ast.CompositeLit:
		return exprText(x.Type) + "{" + exprTexts(x.Elts) + "}"
	case *ast.FuncLit:
		return exprText(x.Type) + " {}" // what a function does is no part of an API
	}
	return typeText(x)
}

// typeText writes what can only be a type, and nothing for what is not there.
func typeText(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ellipsis:
		return "..." + exprText(x.Elt)
	case *ast.ArrayType:
		return "[" + exprText(x.Len) + "]" + exprText(x.Elt)
	case *ast.MapType:
		return "map[" + exprText(x.Key) + "]" + exprText(x.Value)
	case *ast.ChanType:
		switch x.Dir {
		case ast.SEND:
			return "chan<- " + exprText(x.Value)
		case ast.RECV:
			return "<-chan " + exprText(x.Value)
		}
		return "chan " + chanElement(x.Value)
	case *ast.FuncType:
		return "func" + signature(x)
	case *ast.StructType:
		return block("struct", x.Fields)
	case *ast.InterfaceType:
		return block("interface", x.Methods)
	}
	return "" // of a file that does not parse
}

// chanElement is in parentheses where the arrow would belong to another channel
// without them.
func chanElement(x ast.Expr) string {
	if c, ok := x.(*ast.ChanType); ok && c.Dir == ast.RECV {
		return "(" + exprText(x) + ")"
	}
	return exprText(x)
}

// signature is what follows the name of a function, or the word func.
func signature(x *ast.FuncType) string {
	text := "(" + fieldTexts(x.Params, ", ") + ")"
	if x.TypeParams != nil {
		text = "[" + fieldTexts(x.TypeParams, ", ") + "]" + text
	}
	results := fieldTexts(x.Results, ", ")
	switch {
	case results == "":
		return text
	case len(x.Results.List) == 1 && len(x.Results.List[0].Names) == 0:
		return text + " " + results
	}
	return text + " (" + results + ")"
}

// block is a struct or an interface.
func block(word string, l *ast.FieldList) string {
	if fields := fieldTexts(l, "; "); fields != "" {
		return word + "{ " + fields + " }"
	}
	return word + "{}"
}

// fieldTexts writes fields, parameters or methods.
func fieldTexts(l *ast.FieldList, between string) string {
	if l == nil {
		return ""
	}
	var all []string
	for _, f := range l.List {
		text := exprText(f.Type)
		if method, ok := f.Type.(*ast.FuncType); ok && len(f.Names) == 1 && between == "; " && isMethod(method) {
			text = f.Names[0].Name + signature(method)
		} else if len(f.Names) > 0 {
			text = identTexts(f.Names) + " " + text
		}
		if f.Tag != nil {
			text += " " + f.Tag.Value
		}
		all = append(all, text)
	}
	return strings.Join(all, between)
}

// isMethod tells a method of an interface from a field that holds a function.
func isMethod(f *ast.FuncType) bool { return f.Func == token.NoPos }

// identTexts writes names as they stand before one type.
func identTexts(list []*ast.Ident) string {
	var all []string
	for _, id := range list {
		all = append(all, id.Name)
	}
	return strings.Join(all, ", ")
}

// exprTexts writes arguments, indices or elements.
func exprTexts(list []ast.Expr) string {
	var all []string
	for _, x := range list {
		all = append(all, exprText(x))
	}
	return strings.Join(all, ", ")
}

// callText writes a call, which differs from one that spreads its last
// argument.
func callText(x *ast.CallExpr) string {
	spread := ""
	if x.Ellipsis != token.NoPos {
		spread = "..."
	}
	return exprText(x.Fun) + "(" + exprTexts(x.Args) + spread + ")"
}

// sliceText writes a slice of two or three indices, any of which may be
// missing.
func sliceText(x *ast.SliceExpr) string {
	text := exprText(x.X) + "[" + exprText(x.Low) + ":" + exprText(x.High)
	if x.Slice3 {
		text += ":" + exprText(x.Max)
	}
	return text + "]"
}
