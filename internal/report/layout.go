package report

import "math"

// place is where a node is drawn.
type place struct{ X, Y float64 }

// layout places n nodes, of which the first is the centre, by forces: all repel each other, edges pull. Places lie in
// the square [−1, 1]².
//
// Overview: Fruchterman and Reingold (1991) from a spiral, cooling linearly. Nothing is random, so the same graph is
// always drawn the same.
func layout(n int, edges [][2]int) []place {
	at := spiral(n)
	distance := 1 / math.Sqrt(float64(max(n, 1))) // the one that edges prefer
	const rounds = 400
	for round := range rounds {
		heat := 0.15 * (1 - float64(round)/rounds)
		for i, f := range forces(at, edges, distance) {
			size := math.Hypot(f.X, f.Y)
			if i == 0 || size == 0 {
				continue // the centre stays
			}
			step := math.Min(size, heat) / size
			at[i].X += f.X * step
			at[i].Y += f.Y * step
		}
	}
	return fit(at)
}

// spiral places node i at the i-th point of a sunflower, which no two nodes share.
func spiral(n int) []place {
	golden := math.Pi * (3 - math.Sqrt(5))
	at := make([]place, n)
	for i := range at {
		sin, cos := math.Sincos(golden * float64(i))
		r := math.Sqrt(float64(i) / float64(n))
		at[i] = place{r * cos, r * sin}
	}
	return at
}

// forces are k²/d away from every other node, d²/k towards neighbours, and a little towards the middle.
func forces(at []place, edges [][2]int, k float64) []place {
	f := make([]place, len(at))
	push := func(i, j int, size float64) {
		dx, dy := at[i].X-at[j].X, at[i].Y-at[j].Y
		d := math.Max(math.Hypot(dx, dy), 1e-6)
		x, y := dx/d*size, dy/d*size
		f[i].X, f[i].Y = f[i].X+x, f[i].Y+y
		f[j].X, f[j].Y = f[j].X-x, f[j].Y-y
	}
	length := func(i, j int) float64 { return math.Max(math.Hypot(at[i].X-at[j].X, at[i].Y-at[j].Y), 1e-6) }
	for i := range at {
		for j := range i {
			push(i, j, k*k/length(i, j))
		}
		f[i].X, f[i].Y = f[i].X-0.3*k*at[i].X, f[i].Y-0.3*k*at[i].Y
	}
	for _, e := range edges {
		d := length(e[0], e[1])
		push(e[0], e[1], -d*d/k)
	}
	return f
}

// fit stretches places, in both directions apart, until they fill the square.
func fit(at []place) []place {
	lo, hi := place{math.Inf(1), math.Inf(1)}, place{math.Inf(-1), math.Inf(-1)}
	for _, p := range at {
		lo = place{math.Min(lo.X, p.X), math.Min(lo.Y, p.Y)}
		hi = place{math.Max(hi.X, p.X), math.Max(hi.Y, p.Y)}
	}
	stretch := func(x, lo, hi float64) float64 {
		if hi-lo < 1e-9 {
			return 0
		}
		return 2*(x-lo)/(hi-lo) - 1
	}
	for i, p := range at {
		at[i] = place{stretch(p.X, lo.X, hi.X), stretch(p.Y, lo.Y, hi.Y)}
	}
	return at
}
