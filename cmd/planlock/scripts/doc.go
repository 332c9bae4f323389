// Package scripts holds the tests of the planlock command from outside: scripts
// that call it as a person or another program would, with the exit statuses and
// the texts that they rely on. It is a module of its own, so that what the tests
// need is not what users of the library need.
//
// Each file in testdata/script is one test. Besides the commands of testscript
// they have:
//
//	exits STATUS COMMAND...   runs a command that must end with this status
//	start NAME COMMAND...     starts one in the background; its output goes to NAME.out and NAME.err
//	await FIFO                waits until somebody writes to a FIFO
//	release FIFO              writes to a FIFO, once somebody reads it
//	signal NAME SIGNAL        sends INT, TERM or KILL to a command in the background
//	finish NAME STATUS        waits for its end, which must have this status
//	flip FILE OFFSET          inverts a byte; a negative offset counts from the end
//	lines N                   the last standard output must have N lines
//	json PATH=VALUE...           one JSON document on the last standard output must have all these values
package scripts
