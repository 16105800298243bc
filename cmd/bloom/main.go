// Command bloom is graph machine learning by bilevel optimization from the command line. Results
// go to standard output, text for people to standard error; the exit codes are below.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/bloomgml/bloom/cuda"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/join"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/run"
)

func main() { os.Exit(start(os.Args[1:], os.Stdout, os.Stderr)) }

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

// dataError is a mistake in what was read that has no error type of its own.
type dataError struct{ Err error }

func (e *dataError) Error() string { return e.Err.Error() }
func (e *dataError) Unwrap() error { return e.Err }

// exitCode maps the error of a command to the exit code of the process.
func exitCode(err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		return exitStopped
	case errors.As(err, &usage):
		return exitUsage
	case isBadData(err):
		return exitData
	}
	return exitFailed
}

// isBadData reports whether the fault is in a file, or in its absence.
func isBadData(err error) bool {
	var data *dataError
	var file *fileerr.Error
	var absent *catalogue.NotHereError
	return errors.As(err, &data) || errors.As(err, &file) || errors.As(err, &absent)
}

// explain tells a person what went wrong.
func explain(w io.Writer, err error) {
	var usage *usageError
	var interrupted *run.Interrupted
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled) && !errors.As(err, &interrupted):
		fmt.Fprintln(w, "bloom: stopped")
	default:
		fmt.Fprintf(w, "bloom: %s\n", message(err))
		if errors.As(err, &usage) {
			fmt.Fprintf(w, "See \"%s --help\".\n", usage.Command)
		}
	}
}

// message is what an error says, in one line whatever names it holds. Only about sets of the catalogue, whose names are
// its own, there are several.
func message(err error) string {
	var absent *catalogue.NotHereError
	if errors.As(err, &absent) {
		return err.Error()
	}
	return terminal.Show(err.Error())
}

// lastResort, deferred, turns a panic, which is a mistake of the program, into a sentence and a file with the details.
// A card that is lost or has no memory left is nobody's mistake: its error says what to do.
// What a run has saved stays: checkpoints are whole files.
func lastResort(stderr io.Writer, code *int) {
	cause := recover()
	if cause == nil {
		return
	}
	*code = exitFailed
	if lost := lostCard(cause); lost != nil {
		fmt.Fprintf(terminal.NewWriter(stderr), "bloom: %s\n", terminal.Show(lost.Error()))
		return
	}
	fmt.Fprintf(terminal.NewWriter(stderr), "bloom: a mistake of the program, not yours: %s; %s, and a run that has a "+
		"checkpoint goes on with bloom train --resume\n", terminal.Show(fmt.Sprint(cause)), crashReport(cause))
}

// lostCard is the error of a card that a panic is about, nil where it is about something else.
func lostCard(cause any) *cuda.Error {
	if p, ok := cause.(*join.Panic); ok {
		cause = p.Cause
	}
	lost, _ := cause.(*cuda.Error)
	return lost
}

// crashReport writes down what happened, and says where.
func crashReport(cause any) string {
	stack := debug.Stack()
	if p, ok := cause.(*join.Panic); ok {
		stack = p.Stack
	}
	f, err := os.CreateTemp("", "bloom-crash-*.txt")
	if err != nil {
		return "no report could be written"
	}
	fmt.Fprintf(f, "bloom %s: %q\n\n%v\n\n%s", version(), os.Args[1:], cause, stack)
	if f.Close() != nil {
		return "no report could be written"
	}
	return "what happened is in " + f.Name()
}
