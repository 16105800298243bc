// Package own is a program of somebody else: it imports what bloom exports and nothing internal, and trains with an
// energy, a penalty, a criterion and a metric of its own. It is a module of its own, as theirs is.
package own
