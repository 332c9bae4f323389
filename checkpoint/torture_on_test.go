//go:build torture

package checkpoint_test

const torture = true
