package posix

// commands are those that plans use most, with the flags that each knows. One
// that it does not know is refused before anything is done.
var commands = map[string]command{
	"cat":   {run: cat},
	"chmod": {run: chmod},
	"cp":    {letters: "rRfp", run: cp},
	"find":  {valued: []string{"-name", "-type"}, run: find},
	"grep":  {letters: "EFcinqrv", run: grep},
	"head":  {valued: []string{"-n"}, run: head},
	"ls":    {letters: "aA1", run: ls},
	"mkdir": {letters: "p", run: mkdir},
	"mv":    {letters: "f", run: mv},
	"rm":    {letters: "rRf", run: rm},
	"rmdir": {run: rmdir},
	"sleep": {run: sleep},
	"tail":  {valued: []string{"-n"}, run: tail},
	"touch": {run: touch},
	"wc":    {letters: "lwc", run: wc},
}
