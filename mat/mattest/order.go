package mattest

import (
	"sync/atomic"

	"github.com/bloomgml/bloom/mat"
)

// checkFree: other memory stays as it is, and memory that is handed out again is zeros.
func checkFree(s *suite) {
	for _, n := range []int{0, 1, 1000, 40001} {
		shape := mat.Shape{Rows: n, Cols: 1}
		gone, kept := mat.New(n, 1), s.put(s.random(shape))
		gone.Write(s.random(shape).v)
		gone.Free()
		s.sameBits("memory after Free", mat.New(n, 1).Slice(), newGrid(shape).v)
		s.unchanged("a matrix next to one that was freed", kept)
	}
	for _, b := range []mat.Buffer{
		s.dev.Index([]int32{1, 0}, 2), s.dev.Pattern(1, 1, []int64{0, 1}, []int32{0}),
		s.dev.Triples([3]int{1, 1, 1}, [3][]int32{{0}, {0}, {0}}), s.dev.Groups([]int{0, 3}), s.dev.Seed(),
	} {
		s.dev.Free(b)
	}
}

// checkSync: what was asked for is done, and stays so.
func checkSync(s *suite) {
	x := s.put(junk(mat.Shape{Rows: 300, Cols: 200}))
	mat.Fill(x.Dense, 2)
	s.dev.Sync()
	s.dev.Sync()
	for i := range x.grid.v {
		x.grid.v[i] = 2
	}
	s.unchanged("a matrix after Sync", x)
}

// pieces are matrices of which piece i fills one with i and counts.
type pieces struct {
	list  []operand
	count []atomic.Int32
}

func (p *pieces) Do(i int) {
	p.count[i].Add(1)
	mat.Fill(p.list[i].Dense, mat.Real(i))
}

// checkEach: every piece once, and its operations are done.
func checkEach(s *suite) {
	for _, n := range []int{0, 1, 3, 40} {
		p := &pieces{count: make([]atomic.Int32, n)}
		for range n {
			p.list = append(p.list, s.put(junk(mat.Shape{Rows: 9, Cols: 50})))
		}
		mat.Default().Each(n, p)
		for i := range n {
			if c := p.count[i].Load(); c != 1 {
				s.Fatalf("Each of %d: piece %d was done %d times", n, i, c)
			}
			s.compare("Each", p.list[i], func(int, int) near { return exact(float64(i)) })
		}
	}
}

// checkRecord: nothing happens while operations are recorded; every replay does all of them, with the numbers, lists
// and seeds of its time.
func checkRecord(s *suite) {
	shape := mat.Shape{Rows: 30, Cols: 7}
	x, y, z := s.put(s.random(shape)), s.put(s.random(shape)), s.put(s.random(shape))
	idx, at, alias := mat.NewBatchIndex(30, 30), seeded(1), mat.Header(shape)
	alias.Alias(x.Dense, 0)
	replay := s.dev.(mat.Recorder).Record(func() {
		mat.Axpby(y.Dense, y.Dense, alias, 1, 1)
		mat.Gather(z.Dense, y.Dense, idx)
		mat.Dropout(z.Dense, z.Dense, 0.5, at, 3)
	})
	alias.Alias(y.Dense, 0)
	s.unchanged("a destination while operations are recorded", y)
	s.unchanged("a destination while operations are recorded", z)
	for round := range uint64(4) {
		x.grid = s.random(shape)
		x.Write(x.grid.v)
		ids := s.ids(30, 30)
		s.update(idx.Update, ids)
		at.Set(round)
		sums := newGrid(shape)
		for i := range sums.v {
			sums.v[i] = y.grid.v[i] + x.grid.v[i]
		}
		kept := s.mask(0.5, shape, seeded(round), 3)
		replay()
		s.compare("Axpby, replayed", y, func(i, j int) near { return exact(sums.at(i, j)) })
		s.compare("Gather and Dropout, replayed", z, func(i, j int) near {
			v := float64(kept[i*shape.Cols+j]) * sums.at(int(ids[i]), j)
			return rounded(v, v, 2)
		})
		y.grid = sums
	}
}

// checkLane: lanes add up ones at the same time, each in memory of its own that no other takes.
func checkLane(s *suite) {
	const lanes, rounds = 3, 500
	sums := make(chan mat.Real, lanes)
	for range lanes {
		lane, err := s.dev.(mat.Laned).Lane()
		if err != nil {
			s.Fatal(err)
		}
		go mat.On(lane, func() {
			x, one := mat.New(40, 30), mat.New(40, 30)
			mat.Fill(one, 1)
			for range rounds {
				mat.Axpby(x, x, one, 1, 1)
			}
			if x.Device() != lane || lane == s.dev {
				mat.Fill(x, 0)
			}
			sums <- x.MaxAbs()
		})
	}
	for range lanes {
		if sum := <-sums; sum != rounds {
			s.Fatalf("Lane: %d ones are %v", rounds, sum)
		}
	}
	if s.dev != mat.Default() {
		s.Fatalf("Lane: the default device is %s", mat.Default().Name())
	}
}
