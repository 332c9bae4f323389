//go:build torture

package process_test

const whole = true
