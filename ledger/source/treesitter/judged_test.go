package treesitter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/gate/nongoals"
	"github.com/planlock/planlock/gate/semantics"
	"github.com/planlock/planlock/gate/syntax"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// A judged file is one that is changed in several ways, each of which is judged.
type judged struct {
	path, text string
	changes    []change
	protected  []protection
}

// A change is one text in the place of another, and what is said of it where the
// step is preserving, extending and modifying: pass, fail, or unread where nobody
// can say it.
type change struct{ name, old, new, said string }

// A protection is a change of the file while a non-goal protects a symbol.
type protection struct{ name, symbol, old, new, said string }

// judge asks a gate about a change: pass, fail or unread, where both are said
// fail counts.
func judge(t *testing.T, g gate.Gate, j judged, was, is string, set func(*gate.Pass)) string {
	t.Helper()
	pass := gatetest.Pass(t, gatetest.Files{j.path: was}, gatetest.Files{j.path: is})
	pass.Sources = &source.Reader{Languages: Languages()}
	gatetest.Rescan(t, pass)
	set(pass)
	got := gatetest.Judge(t.Context(), g, pass)
	if got.Err != nil {
		return got.Err.Error()
	}
	said := "pass"
	for _, f := range got.Verdict.Findings {
		if said = "fail"; f.Code == "unread" {
			said = "unread"
		}
		if said == "fail" {
			break
		}
	}
	return said
}

func (j judged) test(t *testing.T) {
	change := func(t *testing.T, old, new string) string {
		if strings.Count(j.text, old) != 1 && old != "" {
			t.Fatalf("%q is there %d times", old, strings.Count(j.text, old))
		}
		return strings.Replace(j.text, old, new, 1)
	}
	if got := judge(t, syntax.Gate(), j, "", j.text, func(*gate.Pass) {}); got != "pass" {
		t.Errorf("syntax: %s", got)
	}
	for _, c := range j.changes {
		t.Run(c.name, func(t *testing.T) {
			is, got := change(t, c.old, c.new), ""
			for _, class := range []plan.SemanticChange{plan.Preserving, plan.Extending, plan.Modifying} {
				got += judge(t, semantics.Gate(), j, j.text, is, func(p *gate.Pass) { p.Step.SemanticChange = class }) + " "
			}
			if s := judge(t, syntax.Gate(), j, j.text, is, func(*gate.Pass) {}); s != "pass" {
				got += "syntax " + s
			}
			if got = strings.TrimSpace(got); got != c.said {
				t.Errorf("%s, want %s\n%s", got, c.said, draw(readOne(t, j.path, is)))
			}
		})
	}
	for _, c := range j.protected {
		t.Run(fmt.Sprintf("protected %s", c.name), func(t *testing.T) {
			got := judge(t, nongoals.Gate(), j, j.text, change(t, c.old, c.new), func(p *gate.Pass) {
				p.Plan.NonGoals = []plan.NonGoal{{ID: "N1", Text: "leave it", Symbols: []string{c.symbol}}}
			})
			if got != c.said {
				t.Errorf("%s, want %s", got, c.said)
			}
		})
	}
}

func TestRust(t *testing.T) {
	judged{"src/user.rs", `use std::fmt;

/// A user.
#[derive(Debug, Clone)]
pub struct User { pub id: u32, age: u8 }

impl User {
    pub fn name(&self, short: bool) -> String { "a".to_string() }
    fn secret(&self) {}
}

pub struct Open { pub a: u8 }
pub enum Kind { One, Two(u8) }
pub trait Shape { fn area(&self) -> f64; fn twice(&self) -> f64 { 2.0 } }
impl Shape for User { fn area(&self) -> f64 { 1.0 } }
pub const LIMIT: u32 = 1;
pub(crate) fn inside() {}
pub mod deep { pub fn far<T: Clone>(t: T) where T: Send {} }
mod shut { pub fn unseen() {} }
pub use crate::other::Thing;
#[cfg(unix)] pub fn tell(a: u8) {}
#[cfg(not(unix))] pub fn tell(a: u16) {}
items! { a }
#[cfg(test)] mod tests { pub fn helper() {} }
`, []change{
		{"a body", `"a"`, `"b"`, "pass pass pass"},
		{"layout, a comment and the name of a parameter", "(&self, short: bool)", "(\n  &self, // me\n  brief: bool)", "pass pass pass"},
		{"a method is renamed", "fn name", "fn label", "fail fail fail"},
		{"a private method is renamed", "fn secret", "fn hidden", "pass pass pass"},
		{"a parameter comes", "short: bool", "short: bool, long: bool", "fail fail fail"},
		{"a type changes", "-> String", "-> &str", "fail fail fail"},
		{"a constant changes", "u32 = 1", "u32 = 2", "fail fail pass"},
		{"a constant has another type", "LIMIT: u32", "LIMIT: u64", "fail fail fail"},
		{"a type of the same name is imported", "use std::fmt;", "use std::fmt; use other::String;", "fail fail fail"},
		{"something else is imported", "use std::fmt;", "use std::io;", "pass pass pass"},
		{"a syntax error", "short: bool)", "short: )", "fail fail fail syntax fail"},
		{"a brace is missing", "secret(&self) {}", "secret(&self) {", "fail fail fail syntax fail"},
		{"pub is taken away", "pub const", "const", "fail fail fail"},
		{"pub becomes narrower", "pub trait", "pub(crate) trait", "fail fail fail"},
		{"pub is given", "pub(crate) fn", "pub fn", "fail pass pass"},
		{"something is added", "use std::fmt;", "use std::fmt;\npub fn more() {}", "fail pass pass"},
		{"a field is renamed", "pub id", "pub key", "fail fail fail"},
		{"a field comes where some are private", "age: u8", "age: u8, pub size: u8", "fail pass pass"},
		{"a private field comes where none was", "pub a: u8", "pub a: u8, b: u8", "fail fail fail"},
		{"a variant comes", "Two(u8)", "Two(u8), Three", "fail fail fail"},
		{"a variant has another field", "Two(u8)", "Two(u16)", "fail fail fail"},
		{"a trait asks for more", "fn area(&self) -> f64;", "fn area(&self) -> f64; fn side(&self) -> f64;", "fail fail fail"},
		{"a trait gives more", "fn twice", "fn thrice(&self) {} fn twice", "fail pass pass"},
		{"a derive goes", "Debug, Clone", "Debug", "fail fail fail"},
		{"a derive comes", "Debug, Clone", "Debug, Clone, Default", "fail pass pass"},
		{"an implementation goes", "impl Shape for User { fn area(&self) -> f64 { 1.0 } }", "", "fail fail fail"},
		{"a bound is tighter", "T: Clone", "T: Clone + Copy", "fail fail fail"},
		{"a module becomes private", "pub mod deep", "mod deep", "fail fail fail"},
		{"what a private module holds", "fn unseen()", "fn unseen(a: u8)", "pass pass pass"},
		{"what tests hold", "fn helper()", "fn helper(a: u8)", "pass pass pass"},
		{"a re-export goes", "pub use crate::other::Thing;", "", "fail fail fail"},
		{"a re-export of something else", "crate::other::Thing", "crate::another::Thing", "unread unread pass"},
		{"one of two systems", "pub fn tell(a: u8)", "pub fn tell(a: u16)", "fail fail fail"},
		{"it is there in some builds", "pub const", "#[cfg(unix)] pub const", "fail fail fail"},
		{"it is there in all builds", "#[cfg(not(unix))] pub", "pub", "pass pass pass"},
		{"a macro makes something else", "items! { a }", "items! { b }", "unread unread pass"},
		{"a break outranks a macro", "tell(a: u16) {}\nitems! { a }", "tell(a: u8) {}\nitems! { b }", "fail fail fail"},
	}, []protection{
		{"type", "crate::user::User", "age: u8", "age: u16", "fail"},
		{"method of a type", "crate::user::User", `"a"`, `"b"`, "fail"},
		{"method", "crate::user::User::name", `"a"`, `"b"`, "fail"},
		{"its comment", "crate::user::User", "A user", "The user", "fail"},
		{"beside it", "crate::user::User", "LIMIT: u32 = 1", "LIMIT: u32 = 2", "pass"},
		{"another of a like name", "crate::user::Use", "age: u8", "age: u16", "pass"},
		{"module", "crate::user::deep", "(t: T)", "(s: T)", "fail"},
		{"where the file does not parse", "crate::user::User", "pub const", "pub const const", "unread"},
	}}.test(t)
}
