package path

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// The runs behind the table of inductive completion are a test that a flag asks for:
//
//	go test ./path -run TestInductive -v -timeout 0 -path.data fb237_v1 -path.message distmult -path.aggregate sum -path.seed 1
//
// It reads data sets from $BLOOM_DATA and uses $BLOOM_THREADS threads.
var (
	dataFlag      = flag.String("path.data", "", "data set of TestInductive")
	messageFlag   = flag.String("path.message", "distmult", "message of TestInductive")
	aggregateFlag = flag.String("path.aggregate", "sum", "aggregate of TestInductive")
	seedFlag      = flag.Uint64("path.seed", 1, "seed of TestInductive")
	setFlag       = flag.String("path.set", "{}", "JSON that overwrites fields of the settings")
	outFlag       = flag.String("path.out", "", "file that the line of results is added to")
)

// inductiveLine is the result of TestInductive, on the facts of the twin; Hits10of50 is the expected Hits@10 among 49 others.
type inductiveLine struct {
	Data       string  `json:"data"`
	Config     Config  `json:"config"`
	Valid      float64 `json:"valid_mrr"`
	Hits10of50 float64 `json:"hits@10_50"`
	MRR        float64 `json:"mrr"`
	Hits1      float64 `json:"hits@1"`
	Hits10     float64 `json:"hits@10"`
	Queries    int     `json:"queries"`
	Threads    int     `json:"threads"`
	Seconds    float64 `json:"seconds"`
}

// inductiveSettings are those of the flags.
func inductiveSettings(t *testing.T, data string) Config {
	t.Helper()
	c := For(data, Message(*messageFlag), Aggregate(*aggregateFlag))
	c.Seed = *seedFlag
	if err := json.Unmarshal([]byte(*setFlag), &c); err != nil {
		t.Fatalf("-path.set: %v", err)
	}
	return c
}

func TestInductive(t *testing.T) {
	if *dataFlag == "" {
		t.Skip("a long run; ask for it with -path.data")
	}
	if n, err := strconv.Atoi(os.Getenv("BLOOM_THREADS")); err == nil {
		mat.SetThreads(n)
		defer mat.SetThreads(0)
	}
	d, err := dataset.Open(*dataFlag)
	if err != nil {
		t.Fatal(err)
	}
	start, best := time.Now(), 0.0
	m, err := Train(context.Background(), inductiveSettings(t, d.Name), d, func(e Event) {
		best = e.Best
		t.Logf("epoch %d/%d  loss %.4f  valid %.4f  best %.4f  %.0f s", e.Epoch, e.Epochs, e.Loss, e.Valid, e.Best, e.Elapsed.Seconds())
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.Evaluate(context.Background(), d.Twin, d.Twin.Test, Protocol{})
	if err != nil {
		t.Fatal(err)
	}
	recordInductive(t, inductiveLine{Data: d.Name, Config: m.Config, Valid: best, Hits10of50: e.Expected(10, 49), MRR: e.MRR(), Hits1: e.Hits(1),
		Hits10: e.Hits(10), Queries: len(e.Queries), Threads: mat.Threads(), Seconds: time.Since(start).Seconds()})
}

// recordInductive logs a line and adds it to the file of -path.out.
func recordInductive(t *testing.T, x inductiveLine) {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", text)
	if *outFlag == "" {
		return
	}
	f, err := os.OpenFile(*outFlag, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(text, '\n')); err != nil {
		t.Fatal(err)
	}
}

// TestFor: settings can be used, and those of the two families differ.
func TestFor(t *testing.T) {
	for _, data := range []string{"WN18RR_v1", "fb237_v4", "mine"} {
		if err := For(data, TransE, PNA).check(); err != nil {
			t.Errorf("%s: %v", data, err)
		}
	}
	fb, wn := For("FB15k-237_v1", DistMult, Sum), For("WN18RR_v2", DistMult, Sum)
	if fb.Batch != 64 || wn.Batch != 32 || fb != For("fb237_v3", DistMult, Sum) {
		t.Errorf("FB15k-237 %+v\nWN18RR %+v", fb, wn)
	}
}
