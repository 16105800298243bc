package host

import (
	"testing"
	"testing/fstest"
)

// TestCoresIn: four CPUs of two cores, counted apart from the list that the process may run on.
func TestCoresIn(t *testing.T) {
	root := fstest.MapFS{}
	for cpu, siblings := range map[string]string{"cpu0": "0,2\n", "cpu1": "1,3\n", "cpu2": "0,2\n", "cpu3": "1,3\n"} {
		root[cpu+"/topology/thread_siblings_list"] = &fstest.MapFile{Data: []byte(siblings)}
	}
	for _, c := range []struct {
		cpus []string
		want int
	}{
		{[]string{"cpu0", "cpu1", "cpu2", "cpu3"}, 2},
		{[]string{"cpu1", "cpu3"}, 1},
		{[]string{"cpu0", "cpu1"}, 2},
		{[]string{"cpu0", "cpu4"}, 0}, // nothing is known of cpu4
	} {
		if got := coresIn(root, c.cpus); got != c.want {
			t.Errorf("%v: %d cores, want %d", c.cpus, got, c.want)
		}
	}
	if n := Cores(); n < 1 {
		t.Errorf("this machine has %d cores", n)
	}
}
