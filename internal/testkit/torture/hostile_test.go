//go:build torture && linux

package torture

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/internal/testkit"
)

// allowed is how much memory a command may need for files of some size.
func allowed(size int64) int64 { return 20*size + 256<<20 }

// TestHostileFiles hands spoilt files of every format to the commands that read them.
func TestHostileFiles(t *testing.T) {
	s := newScore("hostile files", "files")
	samples := slices.Concat(formats(t), tableSamples(t), settings())
	attack(t, s, some(2000), 0.15, func(rng *rand.Rand, dir string) {
		what, args := spoil(t, rng, dir, samples[rng.IntN(len(samples))])
		s.read(t, dir, what, args)
	})
}

// TestBombs hands files made to harm to the commands that read them, each once.
func TestBombs(t *testing.T) {
	s, all := newScore("files made to harm", "files"), bombs()
	rand.New(rand.NewPCG(*seed, 1<<63)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var next atomic.Int64
	attack(t, s, len(all), 0.1, func(_ *rand.Rand, dir string) {
		b := all[int(next.Add(1)-1)%len(all)]
		if err := b.write(dir); err != nil {
			t.Error(err)
			return
		}
		s.read(t, dir, b.name, b.args)
	})
}

// read lets a command read what is in a folder: it ends by itself, with a word where it fails, and its memory follows
// the size of the files.
func (s *score) read(t *testing.T, dir, what string, args []string) {
	t.Helper()
	size := sizeOf(dir)
	o := run(dir, 2*allowed(size), args...)
	s.add(1)
	s.memory(o.peak, size)
	if s.check(t, o, what) && o.peak > allowed(size) {
		s.fail(t, excess, "%s: %d MiB for %d kB", what, o.peak>>20, size>>10)
	}
	if o.code > 0 && strings.TrimSpace(o.err) == "" {
		s.fail(t, silent, "%s: exit status %d without a word", what, o.code)
	}
}

// sample are files that can be read, and the command that does.
type sample struct {
	name  string
	files map[string]string
	args  []string
}

// formats are the samples of all readers.
func formats(t *testing.T) []sample {
	samples := filepath.Join("..", "..", "..", "dataset", "format", "testdata", "samples")
	var all []sample
	for _, p := range format.Readers.Parts {
		path, files := testkit.Sample(t, samples, p.New)
		all = append(all, sample{p.Name, files, []string{"data", "info", path}})
	}
	return all
}

// settings are files that people write.
func settings() []sample {
	return []sample{
		{"a config", map[string]string{"mine.yaml": "recipe: base\ndata: {name: karate}\n" +
			"train: {epochs: 2, rate: 0.01}\n" +
			"energy:\n  steps: 3\n  f: {difference: {lambda: 1}}\n"}, []string{"config", "check", "mine.yaml"}},
		{"a space", map[string]string{"space.yaml": "train.rate: {float: [1e-4, 0.1], log: true}\n" +
			"energy.steps: {int: [2, 3]}\n"}, []string{"tune", "--data", "karate", "--recipe", "base", "--space",
			"space.yaml", "--trials", "1", "--set", "train.epochs=1", "--out", "study"}},
	}
}

// spoil writes a sample, with one of its files changed.
func spoil(t *testing.T, rng *rand.Rand, dir string, k sample) (what string, args []string) {
	files := maps.Clone(k.files)
	names := slices.Sorted(maps.Keys(files))
	name := names[rng.IntN(len(names))]
	changed, how := mutate(rng, []byte(files[name]), k.files)
	files[name] = string(changed)
	if err := writes(files)(dir); err != nil {
		t.Error(err)
	}
	return fmt.Sprintf("%s, %s %s", k.name, name, how), k.args
}

// numbers are what a file may claim.
var numbers = []string{"-1", "0", "2147483648", "4294967295", "9223372036854775807", "18446744073709551616",
	"1e308", "1e999", "nan", "-inf", "0x7f", "1e9", "00000000000000000001"}

// mutate changes the content of a file a few times.
func mutate(rng *rand.Rand, b []byte, others map[string]string) (changed []byte, how string) {
	b = bytes.Clone(b)
	for range 1 + rng.IntN(4) {
		at := rng.IntN(len(b) + 1)
		switch kind := rng.IntN(9); kind {
		case 0: // a bit
			if at < len(b) {
				b[at] ^= 1 << rng.IntN(8)
			}
		case 1: // cut off
			b = b[:at]
		case 2: // some bytes gone
			b = slices.Delete(b, at, min(len(b), at+1+rng.IntN(16)))
		case 3: // random bytes
			var noise [8]byte
			for i := range noise {
				noise[i] = byte(rng.Uint32())
			}
			b = slices.Insert(b, at, noise[:1+rng.IntN(8)]...)
		case 4: // a part many times
			part := bytes.Clone(b[at:min(len(b), at+64)])
			b = slices.Insert(b, at, bytes.Repeat(part, 1+rng.IntN(2000))...)
		case 5: // another file
			names := slices.Sorted(maps.Keys(others))
			b = slices.Insert(b, at, []byte(others[names[rng.IntN(len(names))]])...)
		case 6: // a number that no one expects, instead of one
			b = renumber(rng, b)
		case 7: // a binary number that no one expects
			big := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}
			copy(b[at:], big[:1<<rng.IntN(4)])
		case 8: // packed, whatever its name says
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			_, _ = w.Write(b)
			_ = w.Close()
			b = packed.Bytes()
		}
		how = fmt.Sprintf("(%d bytes)", len(b))
	}
	return b, how
}

// renumber replaces the digits at a random place.
func renumber(rng *rand.Rand, b []byte) []byte {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	var starts []int
	for i, c := range b {
		if digit(c) && (i == 0 || !digit(b[i-1])) {
			starts = append(starts, i)
		}
	}
	if starts == nil {
		return b
	}
	from := starts[rng.IntN(len(starts))]
	to := from
	for to < len(b) && digit(b[to]) {
		to++
	}
	return slices.Replace(b, from, to, []byte(numbers[rng.IntN(len(numbers))])...)
}

// sizeOf is the size of all files below a folder.
func sizeOf(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := os.Stat(path); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}
