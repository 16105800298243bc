package mat_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// TestAs: the same memory in another shape, as an arena uses it.
func TestAs(t *testing.T) {
	room := mat.FromSlice(2, 3, []mat.Real{1, 2, 3, 4, 5, 6})
	tall := room.As(mat.Shape{Rows: 3, Cols: 2})
	if !slices.Equal(tall.Slice(), room.Slice()) {
		t.Errorf("As changed the order of the numbers to %v", tall.Slice())
	}
	small := room.As(mat.Shape{Rows: 1, Cols: 2})
	mat.Fill(small, 9)
	if want := []mat.Real{9, 9, 3, 4, 5, 6}; !slices.Equal(room.Slice(), want) {
		t.Errorf("after a write through a smaller shape the memory is %v, want %v", room.Slice(), want)
	}
	if small.Len() != 2 || small.Bytes()*3 != room.Bytes() || small.Device() != room.Device() {
		t.Errorf("a 1×2 view has %d entries and %d bytes", small.Len(), small.Bytes())
	}
	back := small.As(mat.Shape{Rows: 2, Cols: 3})
	if back.Slice()[5] != 6 {
		t.Error("a smaller shape lost the rest of the memory")
	}
	for _, s := range []mat.Shape{{Rows: 0, Cols: 0}, {Rows: 0, Cols: 99}, {Rows: 99, Cols: 0}} {
		if e := room.As(s); e.Len() != 0 || len(e.Slice()) != 0 || e.CheckFinite() != nil {
			t.Errorf("the empty shape %v is not empty", s)
		}
	}
}

// TestCheckFiniteOfView: numbers behind a smaller shape do not count.
func TestCheckFiniteOfView(t *testing.T) {
	room := mat.FromSlice(1, 3, []mat.Real{1, 2, mat.Real(math.NaN())})
	if err := room.As(mat.Shape{Rows: 2, Cols: 1}).CheckFinite(); err != nil {
		t.Error(err)
	}
	err := room.As(mat.Shape{Rows: 3, Cols: 1}).CheckFinite()
	if err == nil || err.Error() != "row 2, column 0: NaN is not a finite number" {
		t.Error(err)
	}
}

func TestEyeAndScalar(t *testing.T) {
	if got, want := mat.Eye(3).Slice(), []mat.Real{1, 0, 0, 0, 1, 0, 0, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("Eye(3) is %v", got)
	}
	if mat.Eye(0).Len() != 0 {
		t.Error("Eye(0) has entries")
	}
	if s := mat.Scalar(2.5); s.Item() != 2.5 || s.Rows() != 1 || s.Cols() != 1 {
		t.Errorf("Scalar(2.5) is %v of shape %v", s.Slice(), s.Shape())
	}
}

func TestSliceIsACopy(t *testing.T) {
	d := m(1, 2)
	d.Slice()[0] = 5
	if d.Slice()[0] != 0 {
		t.Error("Slice shares the matrix's memory")
	}
}

// renamed is another Device.
type renamed struct{ mat.Device }

func (renamed) Name() string { return "other" }

// TestUse: constructors allocate on the default device, and the functions named On do not.
func TestUse(t *testing.T) {
	other := renamed{mat.CPU}
	mat.Use(other)
	defer mat.Use(mat.CPU)
	if mat.Default() != mat.Device(other) {
		t.Fatalf("the default device is %s", mat.Default().Name())
	}
	loaded, err := mat.Load(1, 1, []mat.Real{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*mat.Dense{mat.New(1, 1), mat.FromSlice(1, 1, []mat.Real{1}), mat.Eye(2), mat.Scalar(1),
		loaded} {
		if d.Device() != mat.Device(other) {
			t.Errorf("a matrix was made on %s", d.Device().Name())
		}
	}
	if mat.NewOn(mat.CPU, 1, 1).Device() != mat.CPU {
		t.Error("NewOn ignores its device")
	}
}

func TestThreads(t *testing.T) {
	defer mat.SetThreads(mat.Threads())
	mat.SetThreads(3)
	if mat.Threads() != 3 {
		t.Errorf("%d threads, want 3", mat.Threads())
	}
	mat.SetThreads(0)
	if mat.Threads() < 1 {
		t.Errorf("%d threads, want one per core", mat.Threads())
	}
}

// TestMix: for one seed, counters give different seeds; so do seeds for one counter.
func TestMix(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(100) {
		for counter := range uint64(100) {
			seen[mat.Mix(seed, counter)] = true
		}
	}
	if len(seen) != 100*100 {
		t.Errorf("%d different seeds out of %d", len(seen), 100*100)
	}
}

func TestBroadcastable(t *testing.T) {
	a := mat.Shape{Rows: 3, Cols: 4}
	for s, want := range map[mat.Shape]bool{
		a: true, {Rows: 1, Cols: 4}: true, {Rows: 3, Cols: 1}: true, {Rows: 1, Cols: 1}: true,
		{Rows: 4, Cols: 3}: false, {Rows: 2, Cols: 4}: false, {Rows: 3, Cols: 2}: false, {Rows: 0, Cols: 4}: false,
		{Rows: 0, Cols: 0}: false,
	} {
		if mat.Broadcastable(a, s) != want {
			t.Errorf("Broadcastable(%v, %v) is %v", a, s, !want)
		}
	}
	if mat.Broadcastable(mat.Shape{Rows: 1, Cols: 4}, a) {
		t.Error("a larger operand was taken for a smaller one")
	}
}
