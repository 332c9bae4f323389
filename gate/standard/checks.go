package standard

import "github.com/planlock/planlock/gate"

// Checks returns the built-in kinds of checks. The slice is the caller's own.
func Checks() []gate.Check {
	return []gate.Check{
		kind{"file_exists", fileExists},
		kind{"file_absent", fileAbsent},
		kind{"file_contains", fileContains},
		kind{"command", command},
		kind{"symbol_exists", symbolExists},
		kind{"symbol_absent", symbolAbsent},
		kind{"go_build", goBuild},
		kind{"go_vet", goVet},
		kind{"go_test", goTest},
		kind{"go_api_compatible", apiCompatible},
		kind{"env_set", envSet},
		kind{"tool_available", toolAvailable},
	}
}
