// Package home is the folder of a controller in a workspace: where runs, their
// journals and what they kept lie, and how they are read.
//
//	.planlock/runs.index         what was noted of runs, where there is no witness
//	.planlock/runs/RUN/journal   the default log of a run
//	.planlock/runs/RUN/after     what was done with its work once that was sealed
//	.planlock/runs/RUN/views     its documents
//	.planlock/objects            the default folder of contents
//	.planlock/store              where all of this is kept instead
//	.planlock/escalations        questions that wait, and requests
//	.planlock/choices            remembered choices
//
// [Home.Collect] and [Home.CheckContents] look after the contents: what a
// journal needs is never removed.
package home
