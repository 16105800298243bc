package pickle

import "slices"

// Tensor is a tensor of float32 as a pickle describes it; its numbers are in a storage of their own.
type Tensor struct {
	Shape []int

	storage *storage
	offset  int // of its first number in the storage
}

// storage is a piece of the archive around a pickle, by name.
type storage struct {
	name  string
	count int // of numbers
}

// persistent executes BINPERSID. The only thing outside of a pickle is a storage, ('storage', FloatStorage, name,
// device, count); the device does not matter.
func (d *decoder) persistent() {
	id, ok := d.pop().(Tuple)
	if !ok || len(id) != 5 {
		d.fail("a reference to something else than a storage")
		return
	}
	kind, isKind := id[0].([]byte)
	name, isName := id[2].([]byte)
	count, isCount := id[4].(int64)
	if !isKind || string(kind) != "storage" || !isName || !isCount || count < 0 {
		d.fail("a reference to something else than a storage")
		return
	}
	if id[1] != any(floatStorage) {
		d.fail("a storage of type %s; only float32 is read", kindOf(id[1]))
	}
	d.push(&storage{name: string(name), count: int(count)})
}

// newTensor handles _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks). Rows must follow each
// other without gaps.
func (d *decoder) newTensor(args Tuple) *Tensor {
	if len(args) != 6 {
		d.fail("a tensor that is not made of six values")
		return nil
	}
	from, isStorage := args[0].(*storage)
	offset, isOffset := args[1].(int64)
	shape, isShape := d.sizes(args[2])
	strides, isStrides := d.sizes(args[3])
	if !isStorage || !isOffset || !isShape || !isStrides || offset < 0 {
		d.fail("a tensor that is not made of a storage, an offset, a shape and strides")
		return nil
	}
	count := 1
	want := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		want[i] = count
		if shape[i] > 0 && count > from.count/shape[i] {
			d.fail("a tensor of shape %v in a storage of %d numbers", shape, from.count)
			return nil
		}
		count *= shape[i]
	}
	if !slices.Equal(strides, want) {
		d.fail("a tensor of shape %v with strides %v; only rows one after the other are read", shape, strides)
	}
	if int(offset) > from.count-count {
		d.fail("a tensor of shape %v at %d in a storage of %d numbers", shape, offset, from.count)
	}
	return &Tensor{Shape: shape, storage: from, offset: int(offset)}
}

// sizes returns a tuple of numbers from 0 on.
func (d *decoder) sizes(v any) ([]int, bool) {
	t, ok := v.(Tuple)
	d.reserve(len(t))
	list := make([]int, len(t))
	for i, x := range t {
		n, isInt := x.(int64)
		ok = ok && isInt && n >= 0
		list[i] = int(n)
	}
	return list, ok
}
