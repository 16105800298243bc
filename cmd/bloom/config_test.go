package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
)

// TestConfigSnapshots compares what the user sees with testdata; -update rewrites it.
func TestConfigSnapshots(t *testing.T) {
	for _, c := range []struct {
		name, line string
		code       int
	}{
		{"recipe", "recipe", exitDone},
		{"recipe-typo", "recipe lst", exitUsage},
		{"recipe-list", "recipe list", exitDone},
		{"recipe-list-argument", "recipe list base", exitUsage},
		{"recipe-show-help", "recipe show --help", exitDone},
		{"recipe-show", "recipe show robust --data cora", exitDone},
		{"recipe-show-baseline", "recipe show gcn --data citeseer", exitDone},
		{"recipe-show-typo", "recipe show robst", exitUsage},
		{"recipe-show-unknown", "recipe show frobnicate", exitUsage},
		{"recipe-show-none", "recipe show", exitUsage},
		{"config", "config", exitDone},
		{"config-keys", "config keys", exitDone},
		{"config-schema", "config schema", exitDone},
		{"config-check-help", "config check --help", exitDone},
		{"config-check", "config check testdata/config/mine.yaml", exitDone},
		{"config-check-none", "config check", exitUsage},
		{"config-check-absent", "config check testdata/config/absent.yaml", exitData},
		{"config-check-key", "config check testdata/config/key.yaml", exitData},
		{"config-check-range", "config check testdata/config/range.yaml", exitData},
		{"config-check-syntax", "config check testdata/config/syntax.yaml", exitData},
		{"config-show-help", "config show --help", exitDone},
		{"config-show", "config show testdata/config/mine.yaml --set train.epochs=7 --set energy.kappa.threshold=0.5",
			exitDone},
		{"config-show-two", "config show a b", exitUsage},
		{"config-show-set", "config show --set train.epochz=3", exitUsage},
		{"config-show-value", "config show --set model.dropout=1", exitUsage},
		{"config-show-bare", "config show --set train.epochs", exitUsage},
		{"config-show-recipe", "config show --recipe gcm", exitUsage},
		{"config-show-file", "config show testdata/config/key.yaml --set train.epochs=7", exitData},
	} {
		snapshotOf(t, c.name, c.line, c.code)
	}
}

// TestConfigVariable: a variable changes the config, and a mistake in one is told as a mistake of usage.
func TestConfigVariable(t *testing.T) {
	t.Setenv("BLOOM_TRAIN_EPOCHS", "77")
	if stdout, stderr, code := bloom(t, "config", "show"); code != exitDone ||
		!strings.Contains(stdout, "epochs: 77\n") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	t.Setenv("BLOOM_TRAIN_EPOCHS", "lots")
	_, stderr, code := bloom(t, "config", "show")
	if want := "bloom: BLOOM_TRAIN_EPOCHS: train.epochs is \"lots\", want a whole number 0 " +
		"or more\n"; code != exitUsage || !strings.HasPrefix(stderr, want) {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestRecipeJSON: one object per line, with every recipe and baseline.
func TestRecipeJSON(t *testing.T) {
	stdout, stderr, code := bloom(t, "recipe", "list", "--json")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != exitDone || stderr != "" || len(lines) != len(config.Names()) {
		t.Fatalf("exit %d, %d lines, %s", code, len(lines), stderr)
	}
	for i, name := range config.Names() {
		var line recipeLine
		if err := json.Unmarshal([]byte(lines[i]), &line); err != nil || line.Name != name || line.Summary == "" ||
			line.Source == "" || line.Data == nil {
			t.Errorf("%v, %s", err, lines[i])
		}
	}
}

// TestRecipeToConfig: the config of a recipe, saved, passes the check and shows as itself.
func TestRecipeToConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.yaml")
	for _, name := range []string{"base", "path", "gat"} {
		shown, _, _ := bloom(t, "recipe", "show", name)
		if err := os.WriteFile(file, []byte(shown), 0o666); err != nil {
			t.Fatal(err)
		}
		if stdout, stderr, code := bloom(t, "config", "check", file); code != exitDone ||
			!strings.HasSuffix(stdout, "ok, "+name+" on minesweeper\n") {
			t.Errorf("%s: exit %d, %s%s", name, code, stdout, stderr)
		}
		if again, stderr, code := bloom(t, "config", "show", file); code != exitDone || again != shown {
			t.Errorf("%s: exit %d, %s\n%s", name, code, stderr, again)
		}
	}
}
