package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// Exit codes; other programs may rely on them.
const (
	Done    = 0
	Failed  = 1   // it ran and did not succeed
	BadLine = 2   // the command line is wrong
	BadData = 3   // a file or its content is wrong
	Stopped = 130 // the user stopped it
)

// usageError is a mistake in the command line. Command is what to ask for --help.
type usageError struct {
	error
	Command string
}

func (e usageError) Unwrap() error { return e.error }

// Usage is an error in the command line of cmd.
func Usage(cmd *cobra.Command, format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...), cmd.CommandPath()}
}

// dataError is a mistake in the input that has no error type of its own.
type dataError struct{ error }

func (e dataError) Unwrap() error { return e.error }

// Data is err as a mistake in what was read.
func Data(err error) error { return dataError{err} }

// Training is an error of training or of opening a run, as a mistake in the command line, in the data, or as it is.
func Training(cmd *cobra.Command, err error) error {
	var setting *train.BadSetting
	var data *train.BadData
	var file *files.Error
	var unknown *keys.Unknown
	var asked *task.UsageError
	switch {
	case errors.As(err, &asked):
		return Usage(cmd, "%w", err)
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &data), errors.As(err, &file):
		return Data(err)
	case errors.As(err, &setting), errors.As(err, &unknown):
		return Usage(cmd, "%w", err)
	}
	return err
}

// ExitCode maps the error of a command to the exit code of the process.
func ExitCode(err error) int {
	var usage usageError
	var data dataError
	var file *files.Error
	var absent *catalogue.NotHereError
	switch {
	case err == nil:
		return Done
	case errors.Is(err, context.Canceled):
		return Stopped
	case errors.As(err, &usage):
		return BadLine
	case errors.As(err, &data), errors.As(err, &file), errors.As(err, &absent):
		return BadData
	}
	return Failed
}

// explain tells a person what went wrong in a program, in one line whatever names the error holds. Only errors about
// data sets of the catalogue, whose names are our own, have several lines.
func explain(w io.Writer, program string, err error) {
	var usage usageError
	var absent *catalogue.NotHereError
	var interrupted *train.Interrupted
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled) && !errors.As(err, &interrupted):
		fmt.Fprintf(w, "%s: stopped\n", program)
	default:
		text := err.Error()
		if !errors.As(err, &absent) {
			text = show.Safe(text)
		}
		fmt.Fprintf(w, "%s: %s\n", program, text)
		if errors.As(err, &usage) {
			fmt.Fprintf(w, "See \"%s --help\".\n", usage.Command)
		}
	}
}
