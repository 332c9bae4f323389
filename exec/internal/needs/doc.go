// Package needs is what executors need besides what every step has: how it is
// named, shown and acknowledged, and what stands against it.
package needs
