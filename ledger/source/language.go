package source

import (
	"context"
	"slices"
)

// Max is the size, in bytes, of the largest file that is read as a program. A
// larger one is read by nobody.
const Max = 4 << 20

// A Language reads the source files of one language. It is safe for concurrent
// use, keeps nothing of what it is given, and honours ctx.
type Language interface {
	// Name is what people call the language, as [LanguageOf] does.
	Name() string
	// Reads reports whether a file of this path is one that Read can read. It
	// goes by the path alone.
	Reads(path string) bool
	// Places are where a symbol may be declared, by its name alone: patterns of
	// paths, as path.Match takes them. Of a name that is none in this language
	// there are none.
	Places(symbol string) []string
	// Read parses files, in one go, and answers for each, in their order. A file
	// that does not parse is no error: it has Faults. The error says why nobody
	// read any of them, and may be temporary. Whatever the files hold, it does
	// not run them, and needs time and memory in proportion to their size.
	Read(ctx context.Context, files []Input) ([]File, error)
}

// A Versioned language says what reads it: the name and the version of its
// parser, on one line. Another one may read the same file otherwise.
type Versioned interface {
	Language
	ParserVersion(ctx context.Context) (string, error)
}

// An Input is a file to be read: its path in the workspace, and all of it.
type Input struct {
	Path    string
	Content []byte
}

// A File is what is known of a source file. Nobody may change one: they are
// shared.
type File struct {
	Path     string
	Language string // "" where the path says that it is none that is known
	// Unread says why nobody read the file; "" if somebody did. All that follows
	// is empty then.
	Unread string
	// Partly says why not all of the file may have been understood, though nothing
	// need be wrong with it; "" if all was. What was understood follows.
	Partly string
	// Symbols are all that the file declares, of a name one or several, in the
	// order of the file.
	Symbols []Symbol
	// Surface is what others can use of it.
	Surface Surface
	// Faults say where it does not parse. What could be read all the same is in
	// Symbols and Surface.
	Faults []Fault
}

// A Symbol is a declaration: a constant, variable, type, class, function,
// method or what else a language names.
type Symbol struct {
	Name string // as plans write it: where it is declared, a point, Name or Type.method
	Line int
	Text string // of the declaration, with its comment, as it stands in the file
}

// A Fault is where a file does not parse, and why.
type Fault struct {
	Line int // from 1
	Why  string
}

// Undecided says why it cannot be said what others can use of the file; nothing
// if it can.
func (f *File) Undecided() []string {
	if f == nil {
		return nil
	}
	var why []string
	if f.Unread != "" {
		why = append(why, f.Unread)
	}
	if f.Partly != "" {
		why = append(why, f.Partly)
	}
	if len(f.Faults) > 0 {
		why = append(why, "it does not parse: "+f.Faults[0].Why)
	}
	return append(why, f.Surface.Undecided...)
}

// Declares finds the first declaration of a name; nil if there is none.
func (f *File) Declares(name string) *Symbol {
	i := slices.IndexFunc(f.Symbols, func(s Symbol) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Symbols[i]
}
