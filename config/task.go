package config

import "slices"

// Task is what is learnt, by a word.
type Task string

// tasks are the words, auto first.
var tasks = []string{"auto", "links"}

// AddTask adds a word, for programs that train something else; it is called before a config is loaded.
func AddTask(word string) {
	if !slices.Contains(tasks, word) {
		tasks = append(tasks, word)
	}
}

// Words are all tasks.
func (Task) Words() []string { return tasks }

// Doc says what ours are.
func (Task) Doc() string {
	return "auto (what the data set is about) or links (which nodes of any graph are joined)"
}
