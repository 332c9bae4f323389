//go:build torture

package delivery_test

// whole says that tests are carried out in full measure.
const whole = true
