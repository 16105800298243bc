package kernel

// AddRows is dst[idx[i],:] += x for all i, in double precision whatever Real is, by the caller alone. x is as wide as
// the rows of dst.
func AddRows(dst, x []float64, idx []int32) {
	if len(idx) == 0 || len(x) == 0 || addRowsFast(dst, x, idx) {
		return
	}
	for _, i := range idx {
		row := dst[int(i)*len(x) : (int(i)+1)*len(x)]
		for j, v := range x {
			row[j] += v
		}
	}
}
