package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
)

// completions are what a shell is told when Tab is pressed after these words.
func completions(t *testing.T, words ...string) []string {
	t.Helper()
	stdout, stderr, code := bloom(t, append([]string{"__complete"}, words...)...)
	if code != exitDone {
		t.Fatalf("%q: exit %d, %s", words, code, stderr)
	}
	var list []string
	for line := range strings.Lines(stdout) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		list = append(list, name)
	}
	return list
}

// TestCompletion: names come from where they are defined.
func TestCompletion(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"es", "estimate"},
		{"data i", "info import"},
		{"train --re", "--recipe --repeat --resume"},
		{"train --set train.o", "train.optimizer= energy.f.lambda= model.hidden= :6"},
		{"estimate --set train.optimizer=", "train.optimizer=adam train.optimizer=adamw train.optimizer=sgd :4"},
		{"config show --set model.residual=", "model.residual=true model.residual=false"},
		{"train --data ka", "karate csbm Cora"},
		{"recipe show ", strings.Join(config.Names(), " ")},
		{"data get ", "Cora WN18RR"},
		{"energy ", "robust base"},
		{"train ", "yaml yml json :8"},
		{"predict ", ":16"},
		{"completion ", "bash zsh fish powershell"},
	} {
		got := completions(t, strings.Split(c.words, " ")...)
		for _, want := range strings.Fields(c.want) {
			if !slices.Contains(got, want) {
				t.Errorf("bloom %s: no %s in %q", c.words, want, got)
			}
		}
	}
	if got := completions(t, "recipe", "show", "base", ""); len(got) != 1 {
		t.Errorf("a second recipe is completed: %q", got)
	}
}

// TestCompletionScripts: there is a script for every shell, and the shells that are here understand theirs.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		stdout, stderr, code := bloom(t, "completion", shell)
		if code != exitDone || stderr != "" || !strings.Contains(stdout, "bloom") {
			t.Fatalf("%s: exit %d, %s", shell, code, stderr)
		}
		if _, err := exec.LookPath(shell); err != nil || shell == "powershell" {
			continue
		}
		cmd := exec.Command(shell, "-n")
		cmd.Stdin = strings.NewReader(stdout)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s -n: %v\n%s", shell, err, out)
		}
	}
}
