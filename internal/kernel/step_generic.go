package kernel

// stepRowsGeneric is the portable body of Step for rows lo..hi.
func stepRowsGeneric(t *stepJob, lo, hi int) {
	for i := lo; i < hi; i++ {
		a, b, c := t.a[i], Real(0), t.c[i]
		if t.s != nil {
			b = t.b[i]
		}
		for j := i * t.cols; j < (i+1)*t.cols; j++ {
			h := t.h[j]
			z := a * h
			if t.s != nil {
				z += b * t.s[j]
			}
			t.dst[j] = ProxOf(t.kind, z+c*PhiOf(t.kind, h-t.p[j]))
		}
	}
}

// stepVJPRowsGeneric is the portable body of StepVJP for rows lo..hi.
func stepVJPRowsGeneric(t *stepVJPJob, lo, hi int) {
	for i := lo; i < hi; i++ {
		a, c := t.a[i], t.c[i]
		for j := i * t.cols; j < (i+1)*t.cols; j++ {
			u := t.g[j]
			if t.kind.NonNeg && !(t.out[j] > 0) {
				u = 0
			}
			cs := c * t.kind.slope(t.h[j]-t.p[j])
			if t.dp != nil {
				d := -cs * u
				if t.add {
					d += t.dp[j]
				}
				t.dp[j] = d
			}
			if t.ds != nil {
				t.ds[j] = t.b[i] * u
			}
			if t.dh != nil {
				t.dh[j] = (a + cs) * u
			}
		}
	}
}
