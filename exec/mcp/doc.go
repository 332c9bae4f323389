// Package mcp joins planlock with the Model Context Protocol.
//
// A [Server] serves a controller to an agent: it checks, locks and runs plans
// of one workspace. What a person must decide is put to the person at the
// client, and never to the agent.
//
// The package is a module of its own, as the protocol's SDK has dependencies
// that hosts without it need not have. Nothing of that SDK is part of this
// package's API.
package mcp
