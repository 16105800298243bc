package kernel

import (
	"sync"
	"time"
)

// ReadBandwidth measures how fast `threads` goroutines together read `bytes` of memory in sequence, in bytes per
// second: the best round of about d. Gathering kernels are compared with it. Small sizes are read several times a
// round, from a cache.
func ReadBandwidth(threads, bytes int, d time.Duration) float64 {
	threads = max(threads, 1)
	part := max(bytes/threads/RealBytes, 1)
	parts := make([][]Real, threads)
	for t := range parts {
		parts[t] = Alloc(part)
		for i := range parts[t] {
			parts[t][i] = 1 // pages of their own, not the zero page
		}
	}
	passes := max(1, readRound/(part*RealBytes))
	best := 0.0
	for start := time.Now(); best == 0 || time.Since(start) < d; {
		s := readAll(parts, passes).Seconds()
		best = max(best, float64(passes*threads*part*RealBytes)/s)
	}
	return best
}

// readRound is about how many bytes a goroutine reads in a round, against which its start is nothing.
const readRound = 32 << 20

// readAll reads every part, passes times, on a goroutine of its own and returns the time from the common start to
// the last end.
func readAll(parts [][]Real, passes int) time.Duration {
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	for _, p := range parts {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			for range passes {
				readSum(p)
			}
		})
	}
	ready.Wait()
	start := time.Now()
	close(begin)
	done.Wait()
	return max(time.Since(start), time.Nanosecond)
}

// readSum reads x; the sum only keeps the reads alive.
func readSum(x []Real) Real {
	const block = 512 / RealBytes
	if b := sparseBodiesOf[Active()]; b != nil && len(x) >= block {
		return b.read(&x[0], len(x)/block)
	}
	var s [8]Real
	for ; len(x) >= 8; x = x[8:] {
		for k := range s {
			s[k] += x[k]
		}
	}
	var sum Real
	for _, v := range x {
		sum += v
	}
	for _, v := range s {
		sum += v
	}
	return sum
}
