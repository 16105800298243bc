//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/mat/mattest"
)

// TestSort: lists that the GPU sorts are those that the host sorts.
func TestSort(t *testing.T) {
	d := gpu(t)
	for _, x := range []struct{ n, bound int }{
		{1, 1}, {65, 1}, {1000, 3}, {1024, 256}, {1025, 257}, {5000, 70000}, {133120, 14541}, {90000, 1 << 24},
	} {
		ids := make([]int32, x.n)
		for skewed := range 2 {
			for e := range ids {
				ids[e] = int32(mat.Mix(7, uint64(e)) % uint64(x.bound))
				if skewed == 1 && e%3 > 0 {
					ids[e] = int32(x.bound - 1)
				}
			}
			compareSorted(t, d, ids, x.bound)
		}
	}
}

// compareSorted sorts ids on the host and on the GPU.
func compareSorted(t *testing.T, d *device, ids []int32, bound int) {
	t.Helper()
	defer d.enter().leave()
	want, got := d.newRows(bound, len(ids), true), d.newRows(bound, len(ids), true)
	list := d.newInts(len(ids))
	copy(list.host, ids)
	d.send(list)
	want.sort(ids, nil, nil)
	d.sortInto(got, unsorted{n: len(ids), key: list.at})
	d.download(unsafe.Pointer(unsafe.SliceData(got.all.host)), got.all.at, 4*len(got.all.host))
	longs := 1 + int(want.longs[0])
	if !slices.Equal(want.ptr, got.ptr) || !slices.Equal(want.idx, got.idx) || !slices.Equal(want.edge, got.edge) ||
		!slices.Equal(want.longs[:longs], got.longs[:longs]) {
		t.Errorf("%d ids below %d: the GPU has another order", len(ids), bound)
	}
}

// TestSortingDevice: the contract holds where the GPU sorts all lists.
func TestSortingDevice(t *testing.T) {
	d := gpu(t)
	defer func(from int) { d.sortFrom = from }(d.sortFrom)
	d.sortFrom = 0
	mattest.TestDevice(t, d)
}
