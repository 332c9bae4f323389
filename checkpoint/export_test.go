package checkpoint

// BlobsOf opens what a store is built on to tests.
func BlobsOf(s *Store) Blobs { return s.blobs }
