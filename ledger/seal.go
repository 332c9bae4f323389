package ledger

// A Sealer makes folders from the innermost out. The zero value is ready; it is
// not safe for concurrent use.
type Sealer struct{ buf []byte }

// Folder makes a folder of names, sorted by their bytes, of the rows and links
// of these entries, and of the folders among them, in the same order. The
// caller vouches for that, and gives all of it away: it must not change any
// more.
func (s *Sealer) Folder(names Names, rows []Row, links []Linked, subs []*Folder) *Folder {
	f := &Folder{names: names, rows: rows, links: links, subs: subs}
	s.buf = f.seal(s.buf)
	return f
}
