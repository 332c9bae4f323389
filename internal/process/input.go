package process

import (
	"fmt"
	"io"
	"os"
	"time"
)

// lastRead bounds the wait for a reader, once the command that it was read for
// has ended: one that holds what is read does not need it, and one that waits
// for more is left.
const lastRead = 20 * time.Millisecond

// An input is the standard input of a command: a file, so that nobody who waits
// for the command waits for the reader behind it.
type input struct {
	file   *os.File      // that the command reads; nil: nothing
	from   io.Reader     // what is copied; nil: the file is the caller's
	feed   *os.File      // to where
	copied chan struct{} // closed: nothing more is; nil: it did not begin
}

// openInput makes a file of what a command is to read.
func openInput(from io.Reader) (*input, error) {
	if from == nil {
		return &input{}, nil
	}
	if file, ok := from.(*os.File); ok {
		return &input{file: file}, nil
	}
	file, feed, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("process: pipe for the input: %w", err)
	}
	return &input{file: file, from: from, feed: feed}, nil
}

// started closes this process's copy of the reading end, and begins to copy.
func (in *input) started() {
	if in.from == nil {
		return
	}
	in.file.Close()
	in.copied = make(chan struct{})
	go func() {
		defer close(in.copied)
		io.Copy(in.feed, in.from) // a command may end before it has read all
		in.feed.Close()
	}()
}

// close ends the copying.
func (in *input) close() {
	if in.from == nil {
		return
	}
	in.feed.Close()
	if in.copied == nil {
		in.file.Close()
		return
	}
	limit := time.NewTimer(lastRead)
	defer limit.Stop()
	select {
	case <-in.copied:
	case <-limit.C:
	}
}
