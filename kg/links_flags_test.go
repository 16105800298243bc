package kg_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/kg"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// The long runs behind the tables are tests that -kg.model asks for, with the settings of that recipe, on BLOOM_THREADS threads
// where that is set; every other flag changes one setting, in the order of the command line:
//
//	go test ./kg -run TestLinks -v -timeout 0 -kg.data wn18rr -kg.model rotate -kg.dim 256 -kg.seed 1
var (
	dataFlag  = flag.String("kg.data", "FB15k-237", "data set")
	modelFlag = flag.String("kg.model", "", "recipe: transe, distmult, complex, rotate, or one of them with -bilevel")
	testFlag  = flag.Bool("kg.test", false, "rank test facts: for the last run with settings that validation facts have chosen")
	outFlag   = flag.String("kg.out", "", "file that a line of JSON is added to")
	changes   []change
)

// change is a flag that was given.
type change struct {
	text  string // name=value
	apply func(*kg.Config)
}

func init() {
	whole("dim", "numbers an entity", func(c *kg.Config, v int) { c.Dim = v })
	whole("epochs", "epochs", func(c *kg.Config, v int) { c.Epochs = v })
	whole("batch", "facts a batch", func(c *kg.Config, v int) { c.Batch = v })
	whole("every", "epochs between looks at the validation facts", func(c *kg.Config, v int) { c.Every = v })
	whole("patience", "looks without a better one", func(c *kg.Config, v int) { c.Patience = v })
	whole("sample", "validation facts of a look", func(c *kg.Config, v int) { c.Sample = v })
	whole("seed", "seed", func(c *kg.Config, v int) { c.Seed = uint64(v) })
	whole("shared", "false answers that a batch shares", func(c *kg.Config, v int) { c.Against, c.Negatives.Shared = kg.Drawn, v })
	whole("negatives", "false answers of a question of its own", func(c *kg.Config, v int) {
		c.Against, c.Negatives.Shared, c.Negatives.PerSide = kg.Drawn, 0, v
	})
	number("rate", "learning rate", func(c *kg.Config, v float64) { c.Rate = v })
	number("margin", "margin of models by distance", func(c *kg.Config, v float64) { c.Margin = v })
	number("dropout", "dropout of questions", func(c *kg.Config, v float64) { c.Dropout = v })
	number("scale", "standard deviation of the start", func(c *kg.Config, v float64) { c.Scale = v })
	number("n3", "weight of the cubic penalty", func(c *kg.Config, v float64) { c.Penalty = kg.Penalty{Weight: v, Cubic: true} })
	number("l2", "weight of the square penalty", func(c *kg.Config, v float64) { c.Penalty = kg.Penalty{Weight: v} })
	number("temperature", "self-adversarial loss of this temperature", func(c *kg.Config, v float64) { c.Loss = upper.SelfAdversarial{T: v} })
	word("loss", map[string]func(*kg.Config){
		"softmax": func(c *kg.Config) { c.Loss = upper.Softmax{} }, "bce": func(c *kg.Config) { c.Loss = upper.Softplus{} },
		"margin": func(c *kg.Config) { c.Loss = upper.Margin{M: 1} }, "everything": func(c *kg.Config) { c.Against = kg.Everything },
	})
	word("reciprocal", map[string]func(*kg.Config){
		"true": func(c *kg.Config) { c.Reciprocal = true }, "false": func(c *kg.Config) { c.Reciprocal = false },
	})
	word("optimizer", map[string]func(*kg.Config){
		"adam": func(c *kg.Config) { c.Optimizer = kg.Adam }, "adagrad": func(c *kg.Config) { c.Optimizer = kg.Adagrad },
	})
	word("schedule", map[string]func(*kg.Config){
		"constant": func(c *kg.Config) { c.Schedule = kg.Constant }, "linear": func(c *kg.Config) { c.Schedule = kg.Linear },
	})
	word("norm", map[string]func(*kg.Config){
		"squared": norm(energy.NormSquared), "l2": norm(energy.NormL2), "l1": norm(energy.NormL1),
	})
	flagged("set", "JSON that overwrites fields of the settings", func(s string) (func(*kg.Config), error) {
		return func(c *kg.Config) { _ = json.Unmarshal([]byte(s), c) }, json.Unmarshal([]byte(s), new(kg.Config))
	})
}

// norm makes the distance of a model another one.
func norm(n energy.Distance) func(*kg.Config) {
	return func(c *kg.Config) {
		switch c.Model.(type) {
		case energy.TransE:
			c.Model = energy.TransE{Norm: n}
		case energy.RotatE:
			c.Model = energy.RotatE{Norm: n}
		}
	}
}

// flagged adds the flag -kg.name, whose value read makes a change.
func flagged(name, usage string, read func(string) (func(*kg.Config), error)) {
	flag.Func("kg."+name, usage, func(s string) error {
		f, err := read(s)
		changes = append(changes, change{name + "=" + s, f})
		return err
	})
}

func whole(name, usage string, set func(*kg.Config, int)) {
	flagged(name, usage, func(s string) (func(*kg.Config), error) {
		v, err := strconv.Atoi(s)
		return func(c *kg.Config) { set(c, v) }, err
	})
}

func number(name, usage string, set func(*kg.Config, float64)) {
	flagged(name, usage, func(s string) (func(*kg.Config), error) {
		v, err := strconv.ParseFloat(s, 64)
		return func(c *kg.Config) { set(c, v) }, err
	})
}

func word(name string, words map[string]func(*kg.Config)) {
	flagged(name, "a word", func(s string) (func(*kg.Config), error) {
		if f, ok := words[s]; ok {
			return f, nil
		}
		return nil, fmt.Errorf("no %s %q", name, s)
	})
}

// settings are those of the flags; the test is skipped where none ask for it.
func settings(t *testing.T) (c kg.Config, changed string) {
	t.Helper()
	if *modelFlag == "" {
		t.Skip("a long run; ask for it with -kg.model")
	}
	if n, err := strconv.Atoi(os.Getenv("BLOOM_THREADS")); err == nil {
		mat.SetThreads(n)
	}
	c, err := kg.For(*modelFlag, *dataFlag)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range changes {
		x.apply(&c)
		changed += " " + x.text
	}
	return c, changed
}
