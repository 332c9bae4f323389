//go:build !unix

package exec_test

import "errors"

func mkfifo(string) error { return errors.New("no pipes here") }
