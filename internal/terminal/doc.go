// Package terminal is how the program talks to people: a writer that shows what would steer a terminal instead of
// sending it, colours, tables in two columns, bars and lines of letters, a line of progress, numbers in words, and the
// words of commands to type next.
package terminal
