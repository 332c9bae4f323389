package golang

import (
	"go/ast"
	"go/token"
)

// shape says of a constant's or variable's value what decides its type, as far
// as syntax shows it. A shape that begins with "?" is the spelling itself:
// whether two of them have the same type cannot be told.
func (s spelling) shape(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		return x.Kind.String()
	case *ast.ParenExpr:
		return s.shape(x.X)
	case *ast.UnaryExpr:
		return s.unaryShape(x)
	case *ast.BinaryExpr:
		return s.binaryShape(x)
	case *ast.CompositeLit:
		return s.text(x.Type)
	case *ast.FuncLit:
		return s.text(x.Type)
	case *ast.CallExpr:
		return s.callShape(x)
	case *ast.Ident:
		switch x.Name {
		case "true", "false":
			return "BOOL"
		case "iota":
			return token.INT.String()
		}
	}
	return "?" + s.text(x)
}

// unaryShape is the shape of a value with one operand.
func (s spelling) unaryShape(x *ast.UnaryExpr) string {
	switch x.Op {
	case token.AND:
		return "*" + s.shape(x.X)
	case token.NOT:
		return "BOOL"
	case token.ADD, token.SUB, token.XOR:
		return s.shape(x.X)
	}
	return "?" + s.text(x)
}

// binaryShape is the shape of a value with two operands: comparisons are
// truths, shifts are of the type of what is shifted.
func (s spelling) binaryShape(x *ast.BinaryExpr) string {
	switch x.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
		return "BOOL"
	case token.SHL, token.SHR:
		return s.shape(x.X)
	}
	a, b := s.shape(x.X), s.shape(x.Y)
	switch {
	case a == b && a[:1] != "?":
		return a
	case a == "INT" && b == "FLOAT", a == "FLOAT" && b == "INT":
		return "FLOAT"
	}
	return "?" + s.text(x)
}

// callShape names the function that is called: what it returns stands
// elsewhere. Of make and new the type is known.
func (s spelling) callShape(x *ast.CallExpr) string {
	fun := s.text(x.Fun)
	if (fun == "make" || fun == "new") && len(x.Args) > 0 {
		return fun + "(" + s.text(x.Args[0]) + ")"
	}
	return fun + "()"
}

// mentionsIota reports whether a value depends on its place in the group.
func mentionsIota(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "iota" {
			found = true
		}
		return !found
	})
	return found
}
