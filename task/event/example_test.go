package event_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/event"
	"github.com/bloomgml/bloom/train"
)

// Five users edit pages, each mostly the same one again. Who edits what next is learnt from a file of events, and a run
// learns from new events within microseconds.
func Example() {
	dir, err := os.MkdirTemp("", "events")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	text := "user page time\n"
	for i := range 600 {
		user, day := i*7%5, i/60
		text += fmt.Sprintf("user%d page%d %d\n", user, (user+day)%4, 1700000000+i*1000)
	}
	file := filepath.Join(dir, "edits.txt")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		panic(err)
	}
	data, err := catalogue.OpenEvents(file)
	if err != nil {
		panic(err)
	}
	c, err := config.Load(config.Options{Data: file, Task: "links", Recipe: "decay", Set: []string{"events.batch=20"}})
	if err != nil {
		panic(err)
	}
	run := filepath.Join(dir, "run")
	result, err := event.Run(context.Background(), *c, data, train.Options{Dir: run})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s better than 0.9: %v\n", result.Metrics[4].Metric, result.Metrics[4].Test.Mean > 0.9)
	t, err := event.Open(run)
	if err != nil {
		panic(err)
	}
	next, err := t.Recommend("user1", t.Now()+1000, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(next[0].Target, next[0].Met)
	for i := range 3 {
		if err := t.Learn("user1", "page7", t.Now()+float64(i)); err != nil {
			panic(err)
		}
	}
	if next, err = t.Recommend("user1", t.Now()+1000, 1); err != nil {
		panic(err)
	}
	fmt.Println(next[0].Target, next[0].Met)
	// Output:
	// mrr_event_by_event better than 0.9: true
	// page2 36
	// page7 3
}
