package kernel

// Task is work in numbered pieces that may be done at the same time and in any order.
type Task = interface{ Do(i int) }

// Each does the pieces 0, …, n−1 of t, in parallel where the pool is free. What a piece calls of this package runs on
// the goroutine of the piece alone.
func Each(n int, t Task) { eachJobs.run(n, eachJob{t}) }

// eachJob is Each with a chunk a piece.
type eachJob struct{ Task }

var eachJobs jobs[eachJob, *eachJob]

func (j *eachJob) do(i int) { j.Do(i) }
