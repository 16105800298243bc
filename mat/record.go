package mat

// Recorder is a Device that can record operations and ask for them again at once, as a CUDA graph does. Package ad records
// what a compiled program does between two host operations.
type Recorder interface {
	// Record calls f, which asks for operations on the receiver, and returns what asks for all of them once more, with
	// the same operands and the numbers that these hold by then. None of them is done while f runs; f brings
	// nothing to the host, and neither writes, updates nor allocates. Memory of operands must not be freed as long
	// as replay is called.
	Record(f func()) (replay func())
}
