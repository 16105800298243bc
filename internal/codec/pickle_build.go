package codec

// newObject executes NEWOBJ: csr_matrix.__new__().
func (d *decoder) newObject() {
	args, class := d.pop(), d.pop()
	g, ok := class.(global)
	if t, none := args.(Tuple); ok && (isGeometric(g) || g == csrMatrix && none && len(t) == 0) {
		d.push(&Object{Class: string(g)})
		return
	}
	d.fail("an object is made of %s; only a csr_matrix without arguments may be", kindOf(class))
}

// reduce executes REDUCE, the call of a function with arguments; a few functions are known.
func (d *decoder) reduce() {
	v, function := d.pop(), d.pop()
	args, ok := v.(Tuple)
	if d.err == nil && !ok {
		d.fail("a call with a %s for arguments", kindOf(v))
	}
	if d.err != nil {
		return
	}
	switch function {
	case defaultDict:
		if len(args) != 1 || args[0] != any(builtinList) {
			d.fail("a defaultdict that is not one of lists")
		}
		d.push(&Dict{})
	case reconstruct:
		if len(args) != 3 || args[0] != any(ndarray) {
			d.fail("an array is made of something other than an ndarray")
		}
		d.push(&Array{})
	case orderedDict:
		if len(args) != 0 {
			d.fail("an OrderedDict that is not made empty")
		}
		d.push(&Dict{})
	case tensor:
		d.push(d.newTensor(args))
	case numpyDType:
		d.push(d.newType(args))
	default:
		d.fail("a call of %s, which is not a known function; nothing was run", kindOf(function))
	}
}

// newType handles dtype('f4', 0, 1): a code and two flags about aligning and copying.
func (d *decoder) newType(args Tuple) *elementType {
	if len(args) == 3 {
		if code, ok := args[0].([]byte); ok && len(code) < 16 {
			return &elementType{code: string(code)}
		}
	}
	d.fail("a dtype that is not made of a code and two flags")
	return nil
}

// build executes BUILD: the state on top of the stack goes into the object below it.
func (d *decoder) build() {
	state := d.pop()
	switch object := d.top().(type) {
	case *Array:
		d.buildArray(object, state)
	case *elementType:
		d.buildType(object, state)
	case *Object:
		if object.built {
			d.fail("a %s is given a state twice", object.Class)
		}
		object.State, object.built = state, true
	case *Dict: // the attributes of an OrderedDict, which say how PyTorch saved it
		if _, ok := state.(*Dict); !ok {
			d.fail("an OrderedDict whose attributes are a %s", kindOf(state))
		}
	default:
		d.fail("a %s is given a state", kindOf(object))
	}
}

// buildType sets the byte order of a dtype. The state is (3, '<', None, None, None, -1, -1, 0): version, byte order,
// and what only records and objects have.
func (d *decoder) buildType(t *elementType, state any) {
	s, ok := state.(Tuple)
	if !ok || len(s) != 8 || s[0] != any(int64(3)) || s[2] != nil || s[3] != nil || s[4] != nil || t.built {
		d.fail("a dtype with an unknown state")
		return
	}
	order, ok := s[1].([]byte)
	if !ok || len(order) != 1 {
		d.fail("a dtype without a byte order")
		return
	}
	dtype, err := ParseDType(string(order) + t.code)
	if err != nil {
		d.fail("%v", err)
	}
	t.dtype, t.built = dtype, true
}

// buildArray sets the elements of an array. The state is (1, shape, dtype, fortran, bytes).
func (d *decoder) buildArray(a *Array, state any) {
	s, ok := state.(Tuple)
	if !ok || len(s) != 5 || s[0] != any(int64(1)) || a.DType.Kind != 0 {
		d.fail("an ndarray with an unknown state")
		return
	}
	dims, isTuple := s[1].(Tuple)
	t, isType := s[2].(*elementType)
	fortran, isBool := s[3].(bool)
	data, isBytes := s[4].([]byte)
	if !isTuple || !isType || !isBool || !isBytes || !t.built {
		d.fail("an ndarray whose state is not shape, dtype, order and bytes")
		return
	}
	shape := make([]int, len(dims))
	for i, v := range dims {
		n, ok := v.(int64)
		if !ok {
			d.fail("an ndarray with a %s in its shape", kindOf(v))
			return
		}
		shape[i] = int(n)
	}
	place := int64(cap(d.data) - cap(data)) // a part of the input has its capacity
	made, err := NewArray(d.file, place, t.dtype, shape, fortran, data, d.budget)
	if err != nil {
		d.stop(err)
		return
	}
	*a = *made
}
