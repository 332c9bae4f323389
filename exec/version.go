package exec

import (
	"runtime/debug"
	"sync"
)

// Version is the version of planlock that the program was built with, as far as
// the build tells: a release, or "devel".
func Version() string { return version() }

// version is looked up once: it cannot change.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	const module = "github.com/planlock/planlock"
	version := ""
	if info.Main.Path == module {
		version = info.Main.Version
	}
	for _, dep := range info.Deps {
		if dep.Path == module {
			version = dep.Version
		}
	}
	if version == "" || version == "(devel)" {
		return "devel"
	}
	return version
})
