//go:build !torture

package layer_test

// torture makes tests as thorough as they can be: go test -tags torture.
const torture = false
