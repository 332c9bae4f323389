// Package checkpoint keeps trees and facts: content by digest, snapshots and their exact restore, and the journal.
package checkpoint
