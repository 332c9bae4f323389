// Package treesitter reads languages with grammars of tree-sitter that were
// compiled to WebAssembly (grammars/build makes them again) and are run by
// wazero: parsers that come with the program, and that can do nothing but parse.
// A parser is compiled when the first file is read that needs it, imports nothing
// of its host, and has a memory of its own for each file.
//
// # Rust
//
// Names are paths: crate::module::Type::method. The module is that of the file's
// path below src; the crate is that of the folder that src is in, and crate for
// one in the root. What lies in no src is named by its path.
//
// Public is what is pub, in modules that are not private in the same file unless
// something of them is exported again, and each implementation of a trait for
// what may be public. Tests, examples, build scripts and programs offer nothing.
//
// Macros that make items, attributes that are not the language's own, re-exports
// and what macro_rules says are unsaid ([source.Decl]): where they change nobody
// can say what it means.
//
// # Java and C#
//
// Names are those of the package or namespace that the file says, and of the
// classes around a declaration: com.shop.User.name. Public is what is public or
// protected, in what is. All methods of one name are one declaration, of which
// each way to call it is a member.
//
// # C and C++
//
// Names are namespace::Class::method, and ::name for what is declared at the top.
// Public is what headers declare, in no nameless namespace and not private, and
// what a file of C does not keep for itself by static.
//
// No macro is expanded. What does not parse is tried once more without macros in
// capital letters; what then does not parse is no fault: the file says that not
// all of it was understood ([source.File.Partly]).
package treesitter
