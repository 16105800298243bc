package command

import (
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestGivenTwice: a flag that takes one value is refused where it is given twice, and does not take the last one.
func TestGivenTwice(t *testing.T) {
	for line, want := range map[string]string{
		"do --label a --label b":               `bloom: --label is given twice, as "a" and "b", and takes one value`,
		"do --label a --label=a":               `as "a" and "a"`,
		"do --seed 1 --seed 2":                 `--seed is given twice, as "1" and "2"`,
		"do --threads 1 --threads 2":           "",
		"do --seed 1 --label a":                "",
		"do --nodes a --nodes b --json --json": "",
	} {
		var label string
		var seed uint64
		var nodes []string
		var json bool
		do := &cobra.Command{Use: "do", RunE: func(*cobra.Command, []string) error { return nil }}
		do.Flags().StringVar(&label, "label", "", "")
		do.Flags().Uint64Var(&seed, "seed", 0, "")
		do.Flags().StringArrayVar(&nodes, "nodes", nil, "")
		do.Flags().BoolVar(&json, "json", false, "")
		root := NewRoot("bloom", "a test")
		root.AddCommand(do)
		var text strings.Builder
		code := Execute(context.Background(), root, strings.Fields(line), &text, &text)
		if (code == 2) != (want != "") || !strings.Contains(text.String(), want) {
			t.Errorf("%s: exit %d, %q, want %q", line, code, text.String(), want)
		}
	}
}
