// Package outside reads what bloom wrote with readers of others, to prove that others can. It is a module of its own:
// what such a reader brings along concerns neither users nor the binary.
package outside
