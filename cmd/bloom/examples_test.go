package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// untried are the commands whose examples need what a test has not, with the reason.
var untried = map[string]string{
	"bloom bench":       "measures for minutes",
	"bloom data blocks": "reads tables of one's own; TestDataBlocks makes some",
	"bloom data get":    "downloads",
	"bloom data import": "asks a database that is not there",
	"bloom serve":       "does not end by itself; TestServe asks it",
}

// TestExamples: the examples of every command work in an empty folder, line after line, as typed but for the number of
// epochs, which is 1.
func TestExamples(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("trains in a shell")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "bloom")
	if err := os.Symlink(self, binary); err != nil {
		t.Fatal(err)
	}
	var try func(cmd *cobra.Command)
	try = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			try(sub)
		}
		if cmd.Name() == "help" || cmd.Hidden || !cmd.Runnable() || !cmd.HasParent() {
			return
		}
		t.Run(strings.ReplaceAll(cmd.CommandPath(), " ", "-"), func(t *testing.T) {
			t.Parallel()
			tryExample(t, binary, cmd)
		})
	}
	try(newRoot(commands()...))
}

// epochs is where a command says for how many epochs it trains.
var epochs = regexp.MustCompile(`train\.epochs=[0-9]+`)

func tryExample(t *testing.T, binary string, cmd *cobra.Command) {
	if cmd.Example == "" {
		t.Fatal("it has no example")
	}
	if why := untried[cmd.CommandPath()]; why != "" {
		t.Skip(why)
	}
	sh := exec.Command("sh", "-e", "-c", epochs.ReplaceAllString(cmd.Example, "train.epochs=1"))
	sh.Dir = t.TempDir()
	sh.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"BLOOM_DATA=", "BLOOM_CACHE="+t.TempDir(), "BLOOM_TRAIN_EPOCHS=1", "BLOOM_THREADS=1",
		asProgram+"=1")
	if out, err := sh.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, cmd.Example, out)
	}
}
