// Package ask holds escalations: the questions that a run stops for, the
// answers to them, and the ways of getting one.
//
// A [Question] says what is blocked, why, what is known, and what can be
// chosen, each [Choice] with its consequence. An [Answer] belongs to one run,
// one question and one attempt; [Question.Check] says why another one does not
// count. No answer in time is a refusal.
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
//	rules, err := ask.ReadRules("answers.toml")
//	if err != nil {
//		return err
//	}
//	escalator := ask.Sequence{rules, &ask.Terminal{By: "alice"}}
//
// Their zero values work, and all of them may be used by many goroutines at a
// time.
//
// They fail in three ways. [ErrNoAnswer]: nobody answered, or nobody can, and
// the question counts as refused. [ErrWaiting]: the answer is to come later,
// the question stands. Anything else, the end of the context too, says that it
// could not be asked; nothing has been decided then.
//
// What a step's program prints is evidence in a question and is shown escaped;
// it is never read as an answer. Who may write to the folder of a [Folder] can
// answer, so that folder must be out of reach of what steps run.
package ask
