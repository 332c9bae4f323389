// Package checkpointtest holds the rules that every checkpoint.Blobs and every
// checkpoint.Log must keep, as tests for those who write one.
//
// A test of an own store is a few lines:
//
//	func TestStore(t *testing.T) {
//		dir := t.TempDir()
//		checkpointtest.RunBlobs(t, func() (checkpoint.Blobs, error) { return mystore.Open(dir) })
//	}
//
// RunBlobs and RunLog run a subtest per rule. TestBlobs and TestLog do the same
// without the testing package, and return all violations as one error: for a
// program that checks the database it was pointed at. Each violation begins
// with the rule that was broken.
//
// What needs a power cut to be seen (that Sync really syncs) is not tested
// here.
package checkpointtest
