package certify

import (
	"math/rand/v2"
	"testing"
)

// TestChanges makes 10,000 random changes of all the graph, and 1,000 greedy ones against a certified node each, within
// the budget: no certified class changes.
func TestChanges(t *testing.T) {
	random, greedy := 10000, 1000
	if testing.Short() {
		random, greedy = 500, 30
	}
	const n, b = 60, 2
	r, s := rand.New(rand.NewPCG(5, 4)), step{lambda: 0.2}
	on := randomMatrix(r, n, 0.1)
	m, err := small(r, n, 3, n, s, 6)
	if err != nil {
		t.Fatal(err)
	}
	class := s.plainly(m, on)
	var holds []int
	for v, x := range (&Problem{Near: on.lists(), Budget: budgets(n, b), Add: All}).Certify(m, class) {
		if x.Holds {
			holds = append(holds, v)
		}
	}
	if len(holds) < 5 || len(holds) > n-5 {
		t.Fatalf("%d of %d nodes certified, which tests little", len(holds), n)
	}
	check := func(kind string, i int, g matrix) {
		now := s.plainly(m, g)
		for _, v := range holds {
			if now[v] != class[v] {
				t.Fatalf("%s change %d: certified node %d is class %d, was %d", kind, i, v, now[v], class[v])
			}
		}
	}
	for i := range random {
		a := &attacker{on.clone(), budgets(n, b)}
		for range 4 * n {
			a.flip(r.IntN(n), r.IntN(n))
		}
		check("random", i, a.matrix)
	}
	for i := range greedy {
		a := &attacker{on.clone(), budgets(n, b)}
		a.greedy(r, s, m, holds[i%len(holds)], class)
		check("greedy", i, a.matrix)
	}
}

// attacker changes edges as long as their ends have a budget.
type attacker struct {
	matrix
	left []int
}

func (a *attacker) flip(u, v int) bool {
	if u == v || a.left[u] == 0 || a.left[v] == 0 {
		return false
	}
	a.matrix[u][v], a.matrix[v][u] = !a.matrix[u][v], !a.matrix[v][u]
	a.left[u], a.left[v] = a.left[u]-1, a.left[v]-1
	return true
}

func (a *attacker) undo(u, v int) {
	a.matrix[u][v], a.matrix[v][u] = !a.matrix[u][v], !a.matrix[v][u]
	a.left[u], a.left[v] = a.left[u]+1, a.left[v]+1
}

// greedy changes, twelve times, that edge of v or of its neighbours, of some random ones, that lowers the margin of
// v over a random class most.
func (a *attacker) greedy(r *rand.Rand, s step, m *Model, v int, class []int32) {
	other := (class[v] + 1 + int32(r.IntN(2))) % 3
	x := difference(m.Pi, class[v], other)
	for range 12 {
		least, best := s.run(a.matrix, x, m.Steps)[v], [2]int{}
		for range 12 {
			u := v
			if near := a.lists()[v]; r.IntN(2) == 0 && len(near) > 0 {
				u = int(near[r.IntN(len(near))])
			}
			w := r.IntN(len(class))
			if !a.flip(u, w) {
				continue
			}
			if now := s.run(a.matrix, x, m.Steps)[v]; now < least {
				least, best = now, [2]int{u, w}
			}
			a.undo(u, w)
		}
		a.flip(best[0], best[1])
	}
}
