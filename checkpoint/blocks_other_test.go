//go:build !linux

package checkpoint_test

import "testing"

func blocks(*testing.T, string) int64 { return 0 }
