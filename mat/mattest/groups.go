package mattest

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// checkGroupMatMul: a product for every group, NN, NT and TN, with groups that have no row; β is 0 or 1.
func checkGroupMatMul(s *suite) {
	for _, sizes := range [][]int{{0}, {1}, {5}, {0, 3, 0}, {2, 1, 7, 0, 4}, {13, 40}} {
		for _, n := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {2 + s.rng.IntN(20), 2 + s.rng.IntN(40)}} {
			for _, t := range []mat.Trans{mat.NN, mat.NT, mat.TN} {
				s.groupMatMul(sizes, n[0], n[1], t, 0, s.random)
				s.groupMatMul(sizes, n[0], n[1], t, 1, s.random)
				s.groupMatMul(sizes, n[0], n[1], t, 0, s.odd)
			}
		}
	}
	for _, t := range []mat.Trans{mat.NN, mat.NT, mat.TN} { // groups worth cutting into pieces
		s.groupMatMul([]int{301, 0, 17, 420}, 19, 37, t, 1, s.random)
	}
	s.groupMatMul(nil, 3, 4, mat.NN, 0, s.random)
	s.groupMatMul(nil, 3, 4, mat.TN, 0, s.random)
}

// checkGroups checks the number of groups. A product shows their contents.
func checkGroups(s *suite) {
	for _, bounds := range [][]int{{0}, {0, 0}, {0, 3, 3, 8}} {
		if g := s.dev.Groups(bounds); g.Len() != len(bounds)-1 {
			s.Fatalf("groups %v have length %d", bounds, g.Len())
		}
	}
	s.groupMatMul([]int{3, 0, 5}, 2, 3, mat.NN, 0, s.random)
}

// checkUpdateGroups: the new groups, for products of all kinds.
func checkUpdateGroups(s *suite) {
	b := mat.NewBatchGroups(12, 4)
	for _, sizes := range [][]int{{0, 0, 0, 12}, {3, 4, 0, 5}, {12, 0, 0, 0}, {1, 2, 3, 6}} {
		given := slices.Clone(sizes)
		b.Update(given)
		clear(given)
		for _, t := range []mat.Trans{mat.NN, mat.NT, mat.TN} {
			s.groupProduct(b, sizes, 3, 5, t, 0, s.random)
		}
	}
}

// groupMatMul has k columns in a, and n in dst.
func (s *suite) groupMatMul(sizes []int, k, n int, t mat.Trans, beta mat.Real, fill func(mat.Shape) grid) {
	s.groupProduct(mat.NewGroups(sizes...), sizes, k, n, t, beta, fill)
}

// groupProduct is groupMatMul for groups that exist.
func (s *suite) groupProduct(g *mat.Groups, sizes []int, k, n int, t mat.Trans, beta mat.Real,
	fill func(mat.Shape) grid) {
	group := groupsOf(sizes)
	rows := len(group)
	right := map[mat.Trans]mat.Shape{
		mat.NN: {Rows: len(sizes) * k, Cols: n}, mat.NT: {Rows: len(sizes) * n, Cols: k}, mat.TN: {Rows: rows, Cols: n},
	}[t]
	a, b := fill(mat.Shape{Rows: rows, Cols: k}), fill(right)
	old := s.old(g.GroupShape(t, a.Shape, right), beta)
	s.try(trial{
		name: fmt.Sprintf("GroupMatMul %v, %d and %d columns, transposes %d, β %v", sizes, k, n, t, beta),
		in:   []grid{a, b}, dst: []grid{old},
		run: func(dst, in []*mat.Dense) { mat.GroupMatMul(dst[0], g, in[0], in[1], t, beta) },
		want: alone(func(i, j int) near {
			var dot sum
			if t == mat.TN {
				for r := range rows {
					if group[r] == i/k {
						dot.add(a.at(r, i%k) * b.at(r, j))
					}
				}
			} else {
				for p := range k {
					dot.add(a.at(i, p) * groupEntry(b, t, group[i], p, j, k, n))
				}
			}
			return dot.times(1, float64(beta), old.at(i, j))
		}),
	})
}

// groupsOf returns the group of every row.
func groupsOf(sizes []int) []int {
	var group []int
	for g, n := range sizes {
		group = append(group, slices.Repeat([]int{g}, n)...)
	}
	return group
}

// groupEntry returns entry p, j of op(b_g), which is k×n.
func groupEntry(b grid, t mat.Trans, g, p, j, k, n int) float64 {
	if t == mat.NT {
		return b.at(g*n+j, p)
	}
	return b.at(g*k+p, j)
}
