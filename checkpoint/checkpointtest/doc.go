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
// [RunBlobs], [RunLog], [RunRuns], [RunPapers] and [RunCollector] run a subtest
// per rule. A program that checks the database it is pointed at is such a test,
// built with go test -c. Each violation begins with the rule that was broken.
//
// What needs a power cut to be seen (that Sync really syncs) is not tested
// here.
package checkpointtest
