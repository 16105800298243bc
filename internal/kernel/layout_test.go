package kernel

import "testing"

func TestTransposeMatrix(t *testing.T) { eachLevel(t, testTranspose) }

func testTranspose(t *testing.T) {
	rng := entryRand()
	shapes := [][2]int{{0, 3}, {3, 0}, {300, 200}, {20000, 3}, {3, 20000}}
	for r := 1; r < 68; r += 3 {
		for c := 1; c < 68; c += 2 {
			shapes = append(shapes, [2]int{r, c})
		}
	}
	for _, s := range shapes {
		rows, cols := s[0], s[1]
		x, d := normals(rng, rows*cols), newGuarded(rows*cols)
		Transpose(d.x, x, rows, cols)
		for i := range rows {
			for j := range cols {
				if d.x[j*rows+i] != x[i*cols+j] {
					t.Fatalf("%d×%d: wrong at %d,%d", rows, cols, i, j)
				}
			}
		}
		d.check(t, "transpose")
	}
}

func TestCopyCols(t *testing.T) {
	rng := entryRand()
	for _, s := range [][4]int{
		{3, 5, 7, 6}, {0, 5, 5, 5}, {4, 0, 3, 3}, {2000, 30, 31, 30}, {2000, 30, 30, 30}, {1, 50000, 50000, 50000},
	} {
		rows, cols, ldd, ldx := s[0], s[1], s[2], s[3]
		x, d := normals(rng, rows*ldx), newGuarded(rows*ldd)
		CopyCols(d.x, ldd, x, ldx, rows, cols)
		for i, v := range d.x {
			want := Real(sentinel)
			if i%ldd < cols {
				want = x[i/ldd*ldx+i%ldd]
			}
			if v != want {
				t.Fatalf("%v: wrong at %d", s, i)
			}
		}
		d.check(t, "copy")
	}
}

func TestFill(t *testing.T) {
	for _, n := range entrySizes() {
		for _, v := range []Real{0, 2.5} {
			d := newGuarded(n)
			Fill(d.x, v)
			for i := range d.x {
				if d.x[i] != v {
					t.Fatalf("%d numbers: [%d] = %g", n, i, d.x[i])
				}
			}
			d.check(t, "fill")
		}
	}
}
