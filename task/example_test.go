package task_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// A run writes rows where the request says, as CSV or as objects.
func ExampleRows() {
	q := &task.Request{Write: func(f func(io.Writer) error) error { return f(os.Stdout) }}
	for _, q.JSON = range []bool{false, true} {
		err := task.Rows(q, []string{"share"}, slices.Values([]float64{0.5, 1.0 / 3}),
			func(x float64) []string { return []string{task.Decimal(x)} })
		if err != nil {
			panic(err)
		}
	}
	fmt.Println(task.Usage("--top is %d, want 1 or more", 0))
	// Output:
	// share
	// 0.5
	// 0.333333
	// 0.5
	// 0.3333333333333333
	// --top is 0, want 1 or more
}

// What is said about a result while it is made, and in the end.
func ExampleHeadline() {
	var e train.Event
	e.Loss, e.Valid = 0.25, 0.75
	fmt.Println(task.LossAndValid(e))
	r := &train.Result{Metric: "accuracy", Test: train.Score{Mean: 0.7, Runs: []float64{0.7}},
		Valid: train.Score{Mean: 0.75, SD: 0.01, Runs: []float64{0.74, 0.76}}}
	fmt.Println(task.Headline(r, "nodes", ""))
	fmt.Println(task.Scored(r.Valid))
	// Output:
	// loss 0.250  valid 0.750
	// test accuracy 0.7000, validation 0.7500 ± 0.0100
	// 0.7500 ± 0.0100
}

// A question over HTTP has inputs, and its answer is outputs of the same form.
func ExampleFilled() {
	q := task.Question{Most: 10, Inputs: map[string]task.Tensor{
		"id": {Name: "id", Shape: []int64{2}, Datatype: "BYTES", Data: []byte(`["a", "b"]`)}}}
	ids, err := task.Values[string](q, "id", "BYTES")
	fmt.Println(ids, err)
	out, err := task.Filled(task.Column{Name: "score", Datatype: "FP64", Shape: []int64{2}, Data: []float64{0.5, 1}})
	fmt.Println(string(out[0].Data), err)
	// Output:
	// [a b] <nil>
	// [0.5,1] <nil>
}

// A table is written with a header and read back line by line.
func ExampleWriteTable() {
	var text bytes.Buffer
	header := []string{"share"}
	err := task.WriteTable(&text, header, slices.Values([]float64{0.5, 0.25}),
		func(x float64) []string { return []string{task.Decimal(x)} })
	if err != nil {
		panic(err)
	}
	err = task.ReadTable("shares.csv", &text, header, func(line int, row []string) error {
		fmt.Println(line, row)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 2 [0.5]
	// 3 [0.25]
	// <nil>
}
