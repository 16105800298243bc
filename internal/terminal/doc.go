// Package terminal is how the program talks to people: a writer that shows what would steer a terminal instead of
// sending it, colours, tables in two columns, bars and lines of letters, a line of progress, and numbers in words.
package terminal
