package source

// A Signature is what a function or a method takes and gives, as its language
// writes types: without the names of parameters, packages by the last part of
// their paths.
type Signature struct {
	Inputs  []string
	Outputs []string // without the error
	Errors  bool     // it may give one
	Line    int
}

// A Signer is a Language that can say what functions take and give. It runs
// nothing, as Read does not.
type Signer interface {
	Language

	// Signature is that of a symbol in a file; false where the file declares no
	// such symbol, or one that is no function.
	Signature(in Input, symbol string) (Signature, bool)

	// Types are types as a person writes them, each with a name or several before
	// it or not, in the spelling of Signature; false where one of them is no type.
	Types(list []string) ([]string, bool)
}
