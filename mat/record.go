package mat

// Recorder is a Device that can record operations and replay them at once, like a CUDA graph. Package ad records what a
// compiled program does between two host operations.
type Recorder interface {
	// Record calls f, which issues operations on the receiver, and returns a function that replays all of them: on the
	// memory that the operands have now, wherever an Alias leads later, and with the numbers that it holds by then.
	// They do not run during f, but operations of other goroutines do. f must not bring numbers to the host, write,
	// update or allocate. The memory of operands must not be freed as long as replay is called.
	Record(f func()) (replay func())
}
