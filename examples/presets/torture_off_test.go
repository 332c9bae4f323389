//go:build !torture

package presets

// stride is from one place at which a story is cut to the next: go test -tags
// torture cuts it at all of them.
const stride = 3
