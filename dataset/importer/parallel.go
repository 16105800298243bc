package importer

import (
	"cmp"

	"github.com/bloomgml/bloom/internal/host"
)

// eachOf calls f for the numbers below n on all cores, and returns the error of the smallest number that has one.
func eachOf(n int, f func(k int) error) error {
	errs := make([]error, n)
	host.Each(n, func(k int) { errs[k] = f(k) })
	return cmp.Or(errs...)
}

// eachBlock calls f for blocks of n rows, from begin up to end, on all cores.
func eachBlock(n int, f func(begin, end int)) {
	const rows = 1 << 14 // at a time
	host.Each((n+rows-1)/rows, func(k int) { f(k*rows, min(n, (k+1)*rows)) })
}
