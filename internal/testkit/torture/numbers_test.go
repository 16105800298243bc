//go:build torture && linux

package torture

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// odd are numbers that are no results.
var odd = []string{"NaN", "Inf", "-Inf", "1e39", "-1e39", "1e308", "1e9", "-1e9", "0", "-0"}

// TestNumbers puts numbers that are not finite, or far too large, into weights, features and settings: a command fails
// with a reason, or its results are finite.
func TestNumbers(t *testing.T) {
	all, s := ready(t), newScore("NaN and Inf in weights, features and settings", "numbers")
	keys := floats(t)
	trained := made(t, "a node run", all[0], false, [][]string{{"predict", "run"}})
	attack(t, s, some(300), 0.1, func(rng *rand.Rand, dir string) {
		number := odd[rng.IntN(len(odd))]
		var what string
		var o outcome
		switch rng.IntN(3) {
		case 0:
			key := keys[rng.IntN(len(keys))]
			what = key + "=" + number
			o = run(dir, 0, "train", "--data", "karate", "--recipe", recipeOf(key), "--out", "run",
				"--set", "train.epochs=3", "--set", what)
		case 1:
			what = "a feature of " + number
			features(t, rng, dir, number)
			o = run(dir, 0, append(nodes("p.csv"), "--label", "dept")...)
			if o.code == 0 {
				o = run(dir, 0, "train", "--data", "out.bloom", "--out", "run", "--set", "train.epochs=5")
			}
		default:
			what = "a weight of " + number
			if err := os.CopyFS(dir, os.DirFS(trained.dir)); err != nil {
				t.Error(err)
				return
			}
			weigh(t, rng, filepath.Join(dir, "run"), number)
			ask := [][]string{
				{"predict", "run"}, {"explain", "run", "--node", "n3"}, {"embed", "run"}, {"audit", "run"},
			}
			o = run(dir, 0, ask[rng.IntN(len(ask))]...)
		}
		s.add(1)
		if s.check(t, o, what) && o.code == 0 {
			if where := notFinite(dir, o.out); where != "" {
				s.fail(t, silent, "%s: exit status 0 with %s", what, where)
			}
		}
	})
}

// floats are the keys of settings that are numbers.
func floats(t *testing.T) []string {
	t.Helper()
	var keys []string
	line := regexp.MustCompile(`(?m)^\s*([a-z_]+\.[a-z_.]+)\s`)
	for _, m := range line.FindAllStringSubmatch(must(t, t.TempDir(), "config", "keys").out, -1) {
		keys = append(keys, m[1])
	}
	if len(keys) < 20 {
		t.Fatalf("bloom config keys lists %d keys", len(keys))
	}
	return keys
}

// recipeOf is a recipe that reads a key.
func recipeOf(key string) string {
	if strings.HasPrefix(key, "link.") {
		return "distmult"
	}
	return "heterophily-huber"
}

// features writes a table of 60 people, a tenth of whose ages are a number.
func features(t *testing.T, rng *rand.Rand, dir, number string) {
	var people, follows strings.Builder
	people.WriteString("id,age,size,dept\n")
	follows.WriteString("source,target\n")
	for i := range 60 {
		age := fmt.Sprint(20 + i)
		if rng.IntN(10) == 0 {
			age = number
		}
		fmt.Fprintf(&people, "p%d,%s,%d,d%d\n", i, age, i%7, i%3)
		fmt.Fprintf(&follows, "p%d,p%d\n", i, (i*7+1)%60)
	}
	if err := writes(map[string]string{"p.csv": people.String(), "f.csv": follows.String()})(dir); err != nil {
		t.Error(err)
	}
}

// weigh sets one weight of a run, and the checksums that go with it.
func weigh(t *testing.T, rng *rand.Rand, run, number string) {
	path := filepath.Join(run, "model.safetensors")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	var x float64
	if _, err := fmt.Sscan(number, &x); err != nil {
		t.Error(err)
		return
	}
	data := b[8+binary.LittleEndian.Uint64(b):]
	binary.LittleEndian.PutUint32(data[4*rng.IntN(len(data)/4):], math.Float32bits(float32(x)))
	sums := filepath.Join(run, "SHA256SUMS")
	list, err := os.ReadFile(sums)
	if err != nil {
		t.Error(err)
		return
	}
	sum := fmt.Sprintf("%x  model.safetensors", sha256.Sum256(b))
	list = regexp.MustCompile(`(?m)^[0-9a-f]{64}  model\.safetensors$`).ReplaceAll(list, []byte(sum))
	for name, content := range map[string][]byte{path: b, sums: list} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Error(err)
		}
	}
}

var nan = regexp.MustCompile(`(?i)[^a-z](nan|[+-]?inf)[^a-z]`)

// quoted is a value of the user's in a sentence: that it was there is no result.
var quoted = regexp.MustCompile(`\\"[^"\\]*\\"`)

// notFinite says where a result has a value that is not finite.
func notFinite(dir, out string) string {
	if m := nan.FindString(out); m != "" {
		return "output " + strings.TrimSpace(m)
	}
	for _, name := range []string{"run/result.json", "run/metrics.jsonl"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			if strings.HasSuffix(name, "jsonl") && !json.Valid([]byte(line)) || nan.MatchString(quoted.ReplaceAllString(line, "")) {
				return name + " " + line
			}
		}
	}
	for _, name := range []string{"run/predictions.csv"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil && nan.Match(b) {
			return name
		}
	}
	return ""
}
