package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// takeOnce makes flags of cmd and its subcommands refuse a second value where they take one: the first would be lost
// without a word. Of flags for the whole process, such as --memory, which people put into aliases, the last one counts.
func takeOnce(cmd *cobra.Command) {
	guard := func(f *pflag.Flag) {
		if _, list := f.Value.(pflag.SliceValue); !list && f.Value.Type() != "bool" {
			f.Value = &once{Value: f.Value}
		}
	}
	cmd.LocalNonPersistentFlags().VisitAll(guard)
	for _, c := range cmd.Commands() {
		takeOnce(c)
	}
}

// once is the value of a flag that is given at most once.
type once struct {
	pflag.Value
	given bool
}

// Set takes the first value.
func (o *once) Set(text string) error {
	if o.given {
		return givenBefore{o.String()}
	}
	o.given = true
	return o.Value.Set(text)
}

// givenBefore is the error for a second value.
type givenBefore struct{ value string }

func (e givenBefore) Error() string { return "it was given before, as " + e.value }
