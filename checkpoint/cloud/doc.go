// Package cloud keeps contents in a bucket: of S3 and what speaks like it, of
// Google Cloud Storage, or of Azure. It is a module of its own, since what it needs is
// many times as large as the library. Journals need a writer that can be
// fenced, which a bucket has not: they stay in the workspace, or in a database.
//
//	blobs, err := cloud.Open(ctx, "s3://bucket?region=eu-central-1&prefix=planlock/", cloud.Config{})
//	…
//	defer blobs.Close()
//	c := exec.Controller{Dir: workspace, Blobs: blobs}
//
// URLs are those of gocloud.dev: s3://BUCKET, gs://BUCKET, azblob://CONTAINER, and for
// tests file:///FOLDER and mem://. Credentials are found where the tools of each
// provider find them, and are never part of an error. They have to allow reading,
// writing and listing; nothing is ever removed.
//
// What it promises:
//
//   - A content lies under a key made of its digest and a random name,
//     sha256/ab/cdef….NAME, behind the prefix of the URL. It is there as a whole or
//     not at all. One that is there is not written again: it costs a listing. Several
//     processes may use one bucket and one prefix.
//   - Collect frees what no journal needs while all go on ([Config.Journals]). No
//     key is written twice: what is found or put again when it is old is copied to
//     another key, so that nothing depends on when a key is removed.
//   - Put returns when a content of up to 8 MiB is copied, and uploads it
//     behind the caller's back, 16 at a time. Sync waits for what is under way.
//     Something that failed is tried again by each Sync, and before more is put,
//     and these fail as long as it does. Larger contents are streamed, and are there when Put returns. Has and Get know
//     what is under way.
//   - A bucket that cannot be had, or denies: the error names it and says what would
//     help. One that is gone is no ErrNotFound, but for a folder. A slow one is waited for until the
//     context of the call ends, and for a content no longer than [Config.Patience].
//   - What the bucket holds is believed by nobody: checkpoint.Store checks each
//     content against its digest.
//
// What is durable is the provider's word; a folder (file:) is not synced. An
// upload that is cut off leaves parts that nobody sees and somebody pays for: give
// the bucket a rule that removes incomplete multipart uploads. Objects must not
// expire while a run needs them.
package cloud
