// Command sh is planlock's own shell as a program by itself, which stands in
// for sh where tests are run on Windows.
package main

import (
	"os"

	"github.com/planlock/planlock/cmd/internal/posix"
)

func main() { os.Exit(posix.Main(os.Args[1:])) }
