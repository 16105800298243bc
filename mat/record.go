package mat

// Recorder is a Device that can record operations and ask for them again at once, as a CUDA graph does. Package ad
// records what a compiled program does between two host operations.
type Recorder interface {
	// Record calls f, which asks for operations on the receiver, and returns what asks for all of them once more: on
	// the memory that the operands have now, wherever an Alias leads later, and with the numbers that it holds by then.
	// None of them is done while f runs, but those that other goroutines ask for are. f brings nothing to the host, and
	// neither writes, updates nor allocates. Memory of operands must not be freed as long as replay is called.
	Record(f func()) (replay func())
}
