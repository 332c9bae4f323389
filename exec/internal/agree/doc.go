// Package agree holds the documents of a run against each other, for tests: a
// number or a status that stands in several of them must be the same in each,
// and what is counted must be what is listed.
//
// Each document is read as its readers read it, the pages for people too, and
// becomes a list of claims: what it says of which thing. What one document calls
// otherwise than another is put into the words of report.json first.
package agree
