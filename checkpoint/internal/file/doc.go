// Package file is what the parts of checkpoint need of files beyond reading and
// writing: locks that the system takes from a process that dies, whether a file
// that is open still stands at its path, and facts about files that each system
// tells in its own way.
package file
