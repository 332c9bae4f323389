//go:build torture

package presets

// stride is from one place at which a story is cut to the next.
const stride = 1
