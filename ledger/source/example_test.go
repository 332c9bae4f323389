package source_test

import (
	"fmt"

	"github.com/planlock/planlock/ledger/source"
)

func ExampleUnified() {
	fmt.Print(source.Unified("greeting.txt", []byte("hello\nworld\n"), []byte("hello\nthere\n"), 3))
	// Output:
	// --- a/greeting.txt
	// +++ b/greeting.txt
	// @@ -1,2 +1,2 @@
	//  hello
	// -world
	// +there
}
