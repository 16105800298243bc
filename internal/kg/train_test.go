package kg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// ways are configs that cover all batchers and both levels, quick to train on small data.
func ways() map[string]Config {
	base := Config{Dim: 8, Batch: 40, Seed: seed}
	drawn, shared, everything, bilevel := base, base, base, base
	drawn.Model, drawn.Margin, drawn.Negatives.PerSide = energy.RotatE(energy.NormL2, 0), 2, 4
	shared.Model, shared.Negatives.Shared, shared.Loss = energy.ComplEx, 16, Softmax{}
	shared.Dropout, shared.Penalty = 0.2, Penalty{0.01, true}
	everything.Model, everything.Against = energy.TransE(energy.NormSquared, 0), Everything
	bilevel.Bilevel = &Bilevel{L: 3, Kappa: pull(0.1)}
	blocks := bilevel
	blocks.Bilevel, blocks.Loss, blocks.Penalty = &Bilevel{L: 2, Block: 25, Negatives: 8}, Softmax{},
		Penalty{0.01, true}
	return map[string]Config{"blocks": blocks, "drawn": drawn, "shared": shared, "everything": everything,
		"bilevel": bilevel}
}

// TestSameBitsForAnyThreads trains on 1, 2 and 8 threads: models and reports must agree bit by bit.
func TestSameBitsForAnyThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer mat.SetThreads(mat.Threads())
	d := smallData(t, 60, 3, 400)
	for name, c := range ways() {
		t.Run(name, func(t *testing.T) {
			var want string
			for _, threads := range []int{1, 2, 8} {
				runtime.GOMAXPROCS(threads)
				mat.SetThreads(threads)
				m := fit(t, c, d, 6)
				r, err := m.Evaluate(d, d.Test, metric.Candidates{})
				if err != nil {
					t.Fatal(err)
				}
				var file bytes.Buffer
				if err := m.Save(&file); err != nil {
					t.Fatal(err)
				}
				got := fmt.Sprintf("%x %+v", file.Bytes(), *r)
				if want == "" {
					want = got
				}
				if got != want {
					t.Fatalf("%d threads differ from 1", threads)
				}
			}
		})
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	g := smallGraph(t, 60, 3, 400)
	for name, c := range ways() {
		if c.Bilevel != nil {
			continue // a new draw of false triples is a new program
		}
		tr, err := NewTrainer(c, g)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		step := func() {
			if err := tr.Batch(1+i/tr.Batches(), i%tr.Batches()); err != nil {
				t.Fatal(err)
			}
			i++
		}
		for range 12 { // until as many threads as there are have met, each with buffers of its own
			step()
		}
		if n := testing.AllocsPerRun(20, step); n != 0 {
			t.Errorf("%s: %v allocations a batch, want 0", name, n)
		}
	}
}

// TestTrainingLearns: every way ends well above chance on the facts that it was shown. With n candidates the MRR of a
// random order is about log(n)/n, 0.08 for 60.
func TestTrainingLearns(t *testing.T) {
	d := smallData(t, 60, 3, 200)
	for name, c := range ways() {
		if c.Bilevel != nil {
			c.Bilevel = &Bilevel{L: 10, Kappa: pull(0.01)}
		}
		m := fit(t, c, d, 60)
		r, err := m.Evaluate(d, d.Graph.Triples(), metric.Candidates{})
		if err != nil {
			t.Fatal(err)
		}
		if r.MRR < 0.2 {
			t.Errorf("%s: MRR %.3f of training facts", name, r.MRR)
		}
	}
}

func TestBadSettings(t *testing.T) {
	d := smallData(t, 20, 2, 60)
	for key, c := range map[string]Config{
		"dim":              {Model: energy.ComplEx, Dim: 3},
		"model":            {Model: energy.TransE(energy.NormL1, 0), Against: Everything},
		"negatives shared": {Negatives: Negatives{Shared: -4}},
		"dropout":          {Dropout: 1},
		"batch":            {Batch: -1},
	} {
		_, err := NewTrainer(c, d.Graph)
		var bad *Bad
		if !errors.As(err, &bad) || bad.Key != key {
			t.Errorf("%s: error %v", key, err)
		}
	}
}

// TestSaveAndLoad: a model that was written and read answers as before.
func TestSaveAndLoad(t *testing.T) {
	d := smallData(t, 60, 3, 200)
	for name, c := range ways() {
		m := fit(t, c, d, 6)
		path := filepath.Join(t.TempDir(), "model.safetensors")
		var file bytes.Buffer
		if err := m.Save(&file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		back, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		a, errA := m.Answers(metric.Question{End: 3, Of: 2}, 5)
		b, errB := back.Answers(metric.Question{End: 3, Of: 2}, 5)
		if errA != nil || errB != nil || fmt.Sprint(a) != fmt.Sprint(b) || len(a) != 5 {
			t.Errorf("%s: %v (%v) before, %v (%v) after", name, a, errA, b, errB)
		}
		var again bytes.Buffer
		if err := back.Save(&again); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
			t.Errorf("%s: written again it differs (%v)", name, err)
		}
	}
}

// TestManyNames: names that do not fit into the header of a file are in a second one, and come back whichever way
// it is read.
func TestManyNames(t *testing.T) {
	m := fit(t, Config{Dim: 2}, smallData(t, 60, 3, 200), 1)
	var names []string
	for v := range 60 {
		names = append(names, strings.Repeat("é\"\n", manyNames/4/60)+fmt.Sprint(v))
	}
	m.Entities = dataset.NewIDs(names)
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	if n := binary.LittleEndian.Uint64(file.Bytes()); n > 1<<16 {
		t.Errorf("the header has %d bytes", n)
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	back, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for v, name := range names {
		if back.Entities.At(int32(v)) != name {
			t.Fatalf("entity %d has another name", v)
		}
	}
	var again bytes.Buffer
	if err := back.Save(&again); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
		t.Errorf("written again it differs (%v)", err)
	}
}

// FuzzDecode: no file makes Load panic.
func FuzzDecode(f *testing.F) {
	m := fit(f, Config{Dim: 2, Bilevel: &Bilevel{L: 1}}, smallData(f, 5, 1, 10), 1)
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := codec.ReadSafetensors("fuzz", b)
		if err != nil {
			return
		}
		if m, err := decode("fuzz", file); err == nil && m.H.Rows() > 0 && len(m.Relations) > 0 {
			if _, err := m.Answers(metric.Question{}, 1); err != nil {
				t.Error(err)
			}
		}
	})
}
