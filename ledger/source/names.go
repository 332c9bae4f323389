package source

import (
	"path"
	"slices"
	"strings"
)

// LanguageOf is the name of the programming language that a path is of, by its
// extension; "" for all else, such as texts, data and pages. Nobody has to read
// it: it is known so that a program that nobody reads is not taken for a text.
func LanguageOf(p string) string {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(p), "."))
	if ext == "" {
		return ""
	}
	for _, l := range extensions {
		for known := range strings.FieldsSeq(l.of) {
			if known == ext {
				return l.name
			}
		}
	}
	return ""
}

// extensions are those of files that are programs, or parts of them.
var extensions = []struct{ name, of string }{
	{"Go", "go"},
	{"Python", "py pyi pyw pyx"},
	{"TypeScript", "ts tsx mts cts"},
	{"JavaScript", "js jsx mjs cjs"},
	{"Rust", "rs"},
	{"Java", "java"},
	{"C#", "cs csx"},
	{"C", "c"},
	{"C++", "cc cpp cxx c++ h hh hpp hxx h++ ipp tpp"},
	{"Objective-C", "m mm"},
	{"Swift", "swift"},
	{"Kotlin", "kt kts"},
	{"Scala", "scala sc"},
	{"Groovy", "groovy gradle"},
	{"Ruby", "rb rake gemspec"},
	{"PHP", "php phtml"},
	{"Perl", "pl pm"},
	{"Lua", "lua"},
	{"R", "r"},
	{"Julia", "jl"},
	{"Dart", "dart"},
	{"Elixir", "ex exs"},
	{"Erlang", "erl hrl"},
	{"Haskell", "hs lhs"},
	{"OCaml", "ml mli"},
	{"F#", "fs fsi fsx"},
	{"Visual Basic", "vb bas"},
	{"Clojure", "clj cljs cljc"},
	{"Lisp", "lisp el scm rkt"},
	{"Zig", "zig"},
	{"Nim", "nim"},
	{"Crystal", "cr"},
	{"Fortran", "f f90 f95 f03 for"},
	{"Pascal", "pas"},
	{"Ada", "adb ads"},
	{"COBOL", "cob cbl"},
	{"Solidity", "sol"},
	{"Verilog", "v sv vhd vhdl"},
	{"Assembly", "s asm"},
	{"CUDA", "cu cuh"},
	{"shell", "sh bash zsh fish ksh"},
	{"PowerShell", "ps1 psm1"},
	{"batch", "bat cmd"},
	{"SQL", "sql"},
	{"Protocol Buffers", "proto"},
	{"GraphQL", "graphql gql"},
	{"Thrift", "thrift"},
	{"Vue", "vue"},
	{"Svelte", "svelte"},
	{"Terraform", "tf"},
}

// InTestdata reports whether a path lies below a folder testdata: what tests keep
// there may be broken, and is offered to nobody.
func InTestdata(p string) bool { return slices.Contains(strings.Split(path.Dir(p), "/"), "testdata") }

// Belongs reports whether a symbol is another one, or is declared below it: a
// method below its type, say, in the spelling of any language. In front of a name
// :: says that it is declared at the top.
func Belongs(symbol, to string) bool {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(symbol, "::"), strings.TrimPrefix(to, "::"))
	return ok && (rest == "" || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "::"))
}

// Cut cuts a symbol before its last name: where it is declared, and the name. The
// first is "" where it is declared at the top, and ok says that it is a symbol.
func Cut(symbol string) (outer, name string, ok bool) {
	point, colons := strings.LastIndexByte(symbol, '.'), strings.LastIndex(symbol, "::")
	switch {
	case colons > point:
		return symbol[:colons], symbol[colons+2:], true
	case point >= 0:
		return symbol[:point], symbol[point+1:], true
	}
	return "", symbol, false
}

// Literally is a path as a pattern that matches nothing else.
func Literally(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(p)
}

// MayDeclare reports whether a file that nobody reads may be meant by a symbol,
// as far as its name shows that: whether the symbol begins with its path, or
// with its folder, in one of the spellings that languages have for that.
func MayDeclare(p, symbol string) bool {
	stem := strings.TrimSuffix(p, path.Ext(p))
	for _, begins := range []string{stem, path.Dir(stem)} {
		for _, spelled := range []string{begins, strings.ReplaceAll(begins, "/", "."), strings.ReplaceAll(begins, "/", "::")} {
			if symbol != spelled && Belongs(symbol, spelled) {
				return true
			}
		}
	}
	return false
}
