//go:build torture

package exec_test

// whole says that tests take as much as they can: go test -tags torture.
const whole = true
