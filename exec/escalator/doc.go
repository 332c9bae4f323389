// Package escalator has the ways of getting an answer to a question of package
// ask.
//
// Each of these asks, and each can be given to a controller as its escalator:
//
//   - [Terminal] shows the question to a person and reads lines
//   - [Folder] writes it to a file and looks for the file with the answer, now or later
//   - [Rules] answers as somebody has written down before
//   - [Refuse] never answers
//   - [Sequence] asks one after the other
//
// Rules first and a person for the rest:
//
//	rules, err := escalator.ReadRules("answers.toml")
//	if err != nil {
//		return err
//	}
//	asker := escalator.Sequence{rules, &escalator.Terminal{By: "alice"}}
//
// Their zero values work, and all of them may be used by many goroutines at a
// time.
//
// They fail in three ways. [ask.ErrNoAnswer]: nobody answered, or nobody can,
// and the question counts as refused. [ask.ErrLater]: the answer is to come
// later, the question stands. Anything else, the end of the context too, says
// that it could not be asked; nothing has been decided then.
//
// What a step's program prints is evidence in a question and is shown escaped;
// it is never read as an answer. Who may write to the folder of a [Folder] can
// answer, so that folder must be out of reach of what steps run.
package escalator
