package config

import "slices"

// Task names what is learnt.
type Task string

// tasks are the words, auto first.
var tasks = []string{"auto", "links"}

// AddTask adds a task name, for programs that train something else; it must be called before a config is loaded.
func AddTask(word string) {
	if !slices.Contains(tasks, word) {
		tasks = append(tasks, word)
	}
}

// Words returns all tasks.
func (Task) Words() []string { return tasks }

// Doc says what ours are.
func (Task) Doc() string {
	return "auto (what the data set is about) or links (which nodes of any graph are joined)"
}
