package suite

import (
	"os"
	"runtime/debug"
	"slices"
	"syscall"
)

// EndAtOnce is called by the test's own program where it acts as another one.
// Under the race detector each program waits for a second at its end, unless its
// environment says otherwise as it begins, and what a sandbox lets through does
// not: so the program begins once more, with the same number. What it starts
// itself inherits nothing of this.
func EndAtOnce() {
	const options, atOnce = "GORACE", "atexit_sleep_ms=0"
	if os.Getenv(options) == atOnce {
		os.Unsetenv(options)
		return
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || !slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return
	}
	if self, err := os.Executable(); err == nil {
		_ = syscall.Exec(self, os.Args, append(os.Environ(), options+"="+atOnce)) // else it waits
	}
}
