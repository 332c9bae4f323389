package record

// Inline are the contents of a snapshot that were put and not synced. Who gets
// it writes it into a durable record of a journal, as a field called "inline"
// of its data, together with the facts that name the snapshot, and then calls
// Store.Settle. So a small change costs no sync but that of the journal. Should
// the power go before the contents are synced, they are in the record: see
// Store.Adopt.
type Inline [][]byte
