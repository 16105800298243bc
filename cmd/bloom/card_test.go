package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestCards: the commands of model cards work in the run folder, whatever was trained.
func TestCards(t *testing.T) {
	for name, args := range map[string]string{
		"classes":  "train --data karate --recipe base --epochs 5",
		"baseline": "train --data karate --recipe gcn --epochs 5",
		"numbers":  "train --data smooth:nodes=120 --recipe base --epochs 5",
		"links":    "train --data karate --task links --epochs 5",
		"facts":    "train --data family:families=3,twin=0 --recipe distmult --epochs 2",
		"paths":    "train --data family:families=3,twin=2 --recipe path --epochs 1",
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if _, stderr, code := bloom(t, append(strings.Fields(args), "--out", dir)...); code != exitDone {
				t.Fatalf("exit %d\n%s", code, stderr)
			}
			t.Chdir(dir)
			text, err := os.ReadFile("README.md")
			if err != nil || !utf8.Valid(text) {
				t.Fatalf("%v, valid UTF-8 %v", err, utf8.Valid(text))
			}
			_, loading, _ := strings.Cut(string(text), "## Loading")
			found := 0
			for line := range strings.Lines(loading) {
				typed, ok := strings.CutPrefix(strings.TrimSpace(line), "bloom ")
				if !ok {
					continue
				}
				found++
				var screen bytes.Buffer
				if code := execute(context.Background(), newRoot(commands()...), wordsOf(typed), &screen,
					&screen); code != exitDone {
					t.Errorf("bloom %s: exit %d\n%s", typed, code, screen.String())
				}
			}
			if found < 1 {
				t.Errorf("no commands in\n%s", loading)
			}
		})
	}
}
