// Package interop has the programs and libraries that others use take what
// planlock yields: in-toto, cosign, and a collector of OpenTelemetry. It is a
// module of its own, so that nobody else needs them.
package interop
