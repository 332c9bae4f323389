package cmd

import (
	"fmt"
	"os"
)

// apart refuses a workspace that holds the file which standard output or standard error is sent to: each line written
// there would be a change.
func (p *cli) apart(dir string) error {
	for _, to := range []struct {
		name   string
		stream any
	}{{"standard output", p.out}, {"standard error", p.err}} {
		if file := fileBehind(to.stream); file != "" && within(dir, file) {
			return &usageError{fmt.Sprintf("%s goes to %s in the workspace, where each line would be a change that nobody declared: write it to a file elsewhere",
				to.name, quoted(displayPath(file)))}
		}
	}
	return nil
}

// fileBehind is the path of the regular file that a stream writes to; "" where it is none, or where the system (any but
// Linux) does not tell.
func fileBehind(stream any) string {
	if s, ok := stream.(*sink); ok {
		stream = s.out
	}
	f, ok := stream.(*os.File)
	if !ok {
		return ""
	}
	opened, err := f.Stat()
	if err != nil || !opened.Mode().IsRegular() {
		return ""
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return ""
	}
	if there, err := os.Stat(path); err != nil || !os.SameFile(opened, there) { // it was removed since, or moved
		return ""
	}
	return path
}
