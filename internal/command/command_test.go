package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
)

// TestExitCodes: every kind of error has its code, and says which program it is of.
func TestExitCodes(t *testing.T) {
	plain := errors.New("it broke")
	for _, c := range []struct {
		err  error
		code int
		text string
	}{
		{nil, 0, ""},
		{plain, 1, "bloom: it broke\n"},
		{fmt.Errorf("train: %w", usageError{plain, "bloom train"}), 2,
			"bloom: train: it broke\nSee \"bloom train --help\".\n"},
		{fmt.Errorf("cora: %w", Data(plain)), 3, "bloom: cora: it broke\n"},
		{fmt.Errorf("reading: %w", files.ErrorAtByte("x.bloom", 8, "version 7")), 3,
			"bloom: reading: x.bloom: byte 8: version 7\n"},
		{fmt.Errorf("epoch 3: %w", context.Canceled), 130, "bloom: stopped\n"},
	} {
		root := NewRoot("bloom", "a test")
		root.RunE = func(*cobra.Command, []string) error { return c.err }
		var text strings.Builder
		if code := Execute(context.Background(), root, nil, &text, &text); code != c.code || text.String() != c.text {
			t.Errorf("%v: exit %d and %q, want %d and %q", c.err, code, text.String(), c.code, c.text)
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFullDisk: output that cannot be written is an error, though nobody looks at each line.
func TestFullDisk(t *testing.T) {
	root := NewRoot("bloom", "a test")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		fmt.Fprintln(cmd.OutOrStdout(), "a result")
		return nil
	}
	var text strings.Builder
	if code := Execute(context.Background(), root, nil, full{}, &text); code != Failed {
		t.Errorf("exit %d, want %d", code, Failed)
	}
	if want := "bloom: no space left\n"; text.String() != want {
		t.Errorf("%q, want %q", text.String(), want)
	}
}

// TestPanic: the panic of another goroutine is told in a sentence, with a report that has its own stack.
func TestPanic(t *testing.T) {
	root := NewRoot("bloom", "a test")
	root.RunE = func(*cobra.Command, []string) error {
		var g host.Group
		g.Go(func() { panic("elsewhere") })
		g.Wait()
		return nil
	}
	var stderr strings.Builder
	code := Program{Root: root, Advice: "nothing is lost"}.Start(nil, &stderr, &stderr)
	said := regexp.MustCompile(`^bloom: an internal error, not your mistake: elsewhere; what happened is in (\S+), and ` +
		`nothing is lost\n$`).FindStringSubmatch(stderr.String())
	if code != Failed || said == nil {
		t.Fatalf("exit %d, %s", code, stderr.String())
	}
	defer os.Remove(said[1])
	if text, err := os.ReadFile(said[1]); err != nil || !strings.Contains(string(text), "TestPanic.func") {
		t.Errorf("the report says %q, %v", text, err)
	}
}
