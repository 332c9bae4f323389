//go:build torture

package shell_test

// whole says that tests take as much and as long as they can.
const whole = true
