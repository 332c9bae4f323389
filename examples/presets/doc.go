// Package presets shows each preset of package exec/preset at work: a plan that
// chooses it, an executor and advisors that are scripted, and the story that
// comes of it: the ladder that is climbed, the question that is asked in the
// end, and the documents that can be read afterwards.
//
// The plans lie beside this file, the stories in testdata. The tests run all of
// them, and then run them again with the journal cut after every record: what
// was counted, who is asked, and what waits for an answer is the same.
package presets
