// Package lint holds the project's own rules as a Go test: which package may import which, and a
// few limits on the source that no standard tool checks.
//
// The rules are data in layers_test.go. To add a package, an edge or an exception, edit that table and
// give the reason there; a rule or an exception that nothing needs any more is itself a finding.
package lint
