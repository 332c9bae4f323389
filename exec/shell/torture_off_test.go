//go:build !torture

package shell_test

// whole says that tests take as much and as long as they can: go test -tags
// torture.
const whole = false
