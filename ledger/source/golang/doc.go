// Package golang reads Go source files by syntax alone, with the parser of the
// standard library. It resolves no types across files: where two spellings of
// one type differ (an alias against its target), they are different. A
// declaration is compared together with the builds that its file belongs to, by
// its name and its build constraint.
//
// A symbol is named by its folder: FOLDER.Name or FOLDER.Type.Method, and .Name
// in the root.
//
// # What is compared
//
// A function is its type, without the names of parameters; type parameters are
// numbered, so that renaming one is no change. A method belongs to its type,
// and one whose receiver became a pointer is gone for values. A struct is its
// members, an interface its methods; all other types are their spelling, and an
// alias is what it stands for. A constant or a variable is its type, and what
// it is set to.
//
// # What a difference means
//
// Each difference has an effect, by what it does to those who compile against
// the folder. Something that is gone, or has another type, breaks them.
// Something more is added: a struct may gain fields, an interface methods only
// where it is sealed by one that nobody else can write, since others could
// implement it before. Another value alters what a program does and breaks no
// build.
//
// # Builds
//
// A name may be declared several times, in files for several systems. Each such
// variant is compared with the one that is nearest to it now. It breaks users
// where the variants that they can use as well are not built in all cases in
// which it was: a declaration that moved to a_windows.go is gone on Linux.
// Whether one set of builds covers another is decided from the constraints
// alone, and not by asking for the systems that there are; where they have too
// many tags to try, the answer is no.
package golang
