package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Exit codes; other programs may rely on them.
const (
	exitDone    = 0
	exitFailed  = 1   // it ran and did not succeed
	exitUsage   = 2   // the command line is wrong
	exitData    = 3   // a file or its content is wrong
	exitStopped = 130 // the user stopped it
)

// usageError is a mistake in the command line. Command is what to ask for --help.
type usageError struct {
	Command string
	Err     error
}

func (e *usageError) Error() string { return e.Err.Error() }
func (e *usageError) Unwrap() error { return e.Err }

// dataError is a mistake in what was read.
type dataError struct{ Err error }

func (e *dataError) Error() string { return e.Err.Error() }
func (e *dataError) Unwrap() error { return e.Err }

// exitCode maps the error of a command to the exit code of the process.
func exitCode(err error) int {
	var usage *usageError
	var data *dataError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		return exitStopped
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &data):
		return exitData
	}
	return exitFailed
}

// explain tells a person what went wrong.
func explain(w io.Writer, err error) {
	var usage *usageError
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(w, "bloom: stopped")
	case errors.As(err, &usage):
		fmt.Fprintf(w, "bloom: %v\nSee \"%s --help\".\n", err, usage.Command)
	default:
		fmt.Fprintf(w, "bloom: %v\n", err)
	}
}
