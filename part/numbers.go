package part

// Numbers is the value of a key that takes a word, or a mapping of names to numbers: balanced, or {yes: 10}. By is
// nil if it is a word.
type Numbers struct {
	Word string
	By   map[string]float64
}
