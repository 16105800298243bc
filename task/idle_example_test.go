package task_test

import (
	"fmt"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/task"
)

// A key that nothing reads under the other settings has its shipped value, or is refused.
func ExampleCheckIdle() {
	c, err := config.Load(config.Options{Recipe: "base", Data: "karate", Set: []string{"train.momentum=0.5"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(task.CheckIdle(*c, "karate", nil))
	c.Train.Optimizer = "sgd"
	fmt.Println(c.Values()("train.momentum"), task.CheckIdle(*c, "karate", nil))
	// Output:
	// train.momentum: "0.5": want 0, or the key left out: base does not read it, because train.optimizer is not sgd
	// 0.5 <nil>
}
