package train

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/show"
)

// BadSetting is the error for a key of a config whose value cannot be used.
type BadSetting struct {
	Key, Value string
	Want       string // the valid values, or what they must be
	Idle       bool   // nothing reads the key under the other settings
}

// Error names key, value and what is valid.
func (e *BadSetting) Error() string { return fmt.Sprintf("%s: %q: want %s", e.Key, e.Value, e.Want) }

// BadData is the error for data that cannot be trained on.
type BadData struct{ Data, Text string }

// Error names the data and what is wrong with it.
func (e *BadData) Error() string { return fmt.Sprintf("%s: %s", e.Data, e.Text) }

// NotFinite is the error for a number that is NaN or Inf. Checkpoints stay as they were before; the weights of the
// best epoch are in the run folder, if there is one.
type NotFinite struct {
	Epoch int    // from 1
	What  string // "the loss", "the gradient of pi.0.W", …
	Err   error  // more about it, if there is more to say
	Kept  string // the folder with the best epoch's model; empty if there is none
	Best  int    // that epoch
	// Advice is what may help besides a smaller train.rate and train.clip; may be empty.
	Advice string
}

// Error names the epoch and the quantity, and says what was kept and what to try.
func (e *NotFinite) Error() string {
	text := fmt.Sprintf("epoch %d: %s is not finite", e.Epoch, e.What)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Kept != "" {
		text += fmt.Sprintf("; the model of epoch %d, the best so far, is in %s", e.Best, e.Kept)
	}
	text += "; try a smaller train.rate, or train.clip"
	if e.Advice != "" {
		text += ", or " + e.Advice
	}
	return text
}

// Unwrap returns the cause.
func (e *NotFinite) Unwrap() error { return e.Err }

// Interrupted is the error of a run that was told to stop. What was learnt so far is in the run folder, if there is
// one.
type Interrupted struct {
	Dir        string // the run folder; empty if nothing was saved
	Run, Epoch int    // how far it came: run from 0, epochs done
	Err        error  // the error of the context
}

// Error says how to continue.
func (e *Interrupted) Error() string {
	text := fmt.Sprintf("stopped after epoch %d", e.Epoch)
	if e.Run > 0 {
		text += fmt.Sprintf(" of run %d", e.Run)
	}
	if e.Dir == "" {
		return text + "; nothing was saved, as there is no run folder"
	}
	return text + "; continue with: " + show.ShellCommand("bloom", "train", "--resume", e.Dir)
}

// Unwrap returns the error of the context.
func (e *Interrupted) Unwrap() error { return e.Err }

// notWritten is the error for a file of the run folder that could not be written, for instance on a full disk.
type notWritten struct {
	File  string
	Dir   string // the run folder
	Epoch int    // the epoch of the last complete checkpoint; −1 if there is none
	Err   error
}

// Error says what was kept and how to continue.
func (e *notWritten) Error() string {
	text := fmt.Sprintf("%s was not written: %v", e.File, e.Err)
	if e.Epoch < 0 {
		return text + "; there is no checkpoint yet"
	}
	return text + fmt.Sprintf("; the checkpoint of epoch %d is complete: make room, then %s",
		e.Epoch, show.ShellCommand("bloom", "train", "--resume", e.Dir))
}

func (e *notWritten) Unwrap() error { return e.Err }
