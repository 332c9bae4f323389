package native

import (
	"time"

	"github.com/planlock/planlock/plan"
)

// A keyField is one key of the format as a page, a schema or a shell describes it.
type keyField struct {
	plan.Key
	Types  []string   // of its value, as JSON names them
	Format string     // "duration", or ""
	Items  *keyField  // of a list
	Fields []keyField // of a table
	Open   bool       // a table that may have other keys
}

// fieldsOf describes the keys at the top of a plan, and all keys below them.
func fieldsOf() []keyField { return describe(new(plan.Plan).Visit).Fields }

// A describer visits a plan that says nothing, and collects its keys.
type describer struct{ table keyField }

func describe(visit func(plan.Visitor)) keyField {
	d := &describer{table: keyField{Types: []string{"object"}}}
	visit(d)
	return d.table
}

func (d *describer) add(k plan.Key, f keyField) {
	if k.Unwritten {
		return
	}
	f.Key = k
	d.table.Fields = append(d.table.Fields, f)
	if k.Older != "" {
		f.Name, f.Doc = k.Older, "the older name of "+k.Name
		d.table.Fields = append(d.table.Fields, f)
	}
}

func typeOf(k plan.Key) keyField {
	if k.ID {
		return keyField{Types: []string{"string", "integer"}}
	}
	return keyField{Types: []string{"string"}}
}

// Text describes a text.
func (d *describer) Text(k plan.Key, _ *string) { d.add(k, typeOf(k)) }

// Flag describes a truth.
func (d *describer) Flag(k plan.Key, _ **bool) { d.add(k, keyField{Types: []string{"boolean"}}) }

// Number describes an integer.
func (d *describer) Number(k plan.Key, _ **int) { d.add(k, keyField{Types: []string{"integer"}}) }

// Duration describes a duration.
func (d *describer) Duration(k plan.Key, _ *time.Duration) {
	d.add(k, keyField{Types: []string{"string"}, Format: "duration"})
}

// Texts describes a list.
func (d *describer) Texts(k plan.Key, _ *[]string) {
	items := typeOf(k)
	d.add(k, keyField{Types: []string{"array"}, Items: &items})
}

// Table describes a table with its keys.
func (d *describer) Table(k plan.Key, t plan.Table) { d.add(k, describe(t.Visit)) }

// Tables describes a list of tables.
func (d *describer) Tables(k plan.Key, t plan.Tables) {
	t.Make(1)
	items := describe(func(v plan.Visitor) { t.Visit(0, v) })
	d.add(k, keyField{Types: []string{"array"}, Items: &items})
}

// Settings opens the table.
func (d *describer) Settings(plan.Key, *[]plan.Setting) { d.table.Open = true }

// FreeTables describes tables without keys of their own.
func (d *describer) FreeTables(k plan.Key, _ *[]plan.Setting) {
	for _, name := range k.Words {
		d.add(plan.Key{Name: name, Doc: k.Doc}, keyField{Types: []string{"object"}, Open: true})
	}
}
