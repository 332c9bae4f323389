// Command planlock checks, locks and runs plans, and proves what happened.
// "planlock help" lists what it can do.
package main

import "github.com/planlock/planlock/cmd"

func main() { cmd.Main(cmd.With{}) }
