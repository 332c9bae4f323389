// Package lazyre holds regular expressions that are compiled when they are
// first used. A program that imports a reader of plans pays nothing for the
// patterns of formats that it never meets.
package lazyre

import (
	"regexp"
	"sync"
)

// A Regexp is a pattern, and the regular expression that it becomes. It may be
// used by several goroutines at once.
type Regexp struct {
	pattern string
	once    sync.Once
	re      *regexp.Regexp
}

// New is regexp.MustCompile, but later. A pattern that is wrong would panic
// where it is first used: a test compiles all that the module declares, and
// finds them because New is only ever called with constants.
//
// It does nothing but fill in the pattern, so that the compiler can lay out
// package variables made by it without any code that runs at the start.
func New(pattern string) *Regexp { return &Regexp{pattern: pattern} }

func (r *Regexp) compiled() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.pattern) })
	return r.re
}

func (r *Regexp) Find(b []byte) []byte { return r.compiled().Find(b) }

func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

func (r *Regexp) ReplaceAllString(s, by string) string { return r.compiled().ReplaceAllString(s, by) }

func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, by)
}
