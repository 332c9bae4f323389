// Package attest says of a run that has ended, in the formats that others
// verify, what was done: an in-toto Statement v1, signed in a DSSE envelope.
//
//	statement, err := attest.New(ctx, workspace, run, attest.Run)
//	if err != nil {
//		return err
//	}
//	envelope, err := attest.Sign(ctx, statement, key) // any crypto.Signer with an Ed25519 or ECDSA P-256 key
//	…
//	statement, err = attest.Verify(ctx, envelope, publicKey)
//
// A statement follows from the journal of the run and nothing else: made again,
// it is the same, so that [Statement.Holds] tells whether the journal says what
// was signed. The journal, its trees and its documents are verified before
// anything is said of them; what is not sealed, or has an end that nobody
// signed, is refused.
//
// The subjects are the files that the run changed and left so, the tree that it
// left, and the journal. docs/attestations.md describes the predicates, and how
// cosign verifies them.
package attest
