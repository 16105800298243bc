// Package pickle reads the Python pickles in which the Planetoid graphs are published, and the files of torch.save that
// hold graphs. Python's own
// reader calls whatever function a pickle names; this one knows a few names, makes plain Go values for them and refuses
// every other, with its place in the file.
//
// The values are:
//
//	None                           nil
//	bool, int                      bool, int64
//	str of Python 2                []byte, a part of the input
//	tuple, list                    Tuple, *List
//	dict, defaultdict(list)        *Dict
//	numpy.ndarray                  *npy.Array
//	scipy.sparse.csr_matrix        *CSR
//
// ReadTorch reads what torch.save wrote in the same way. It knows tensors and the classes of PyTorch Geometric, of
// which it keeps the state:
//
//	str, float                     string, float64
//	torch.Tensor                   *npy.Array
//	torch_geometric.…              *Object
//
// It knows the opcodes of protocol 2 that occur in such files, and SETITEM, which Python writes instead of SETITEMS if
// one item remains. There is no recursion: depth costs nothing. Memory is taken from a budget, value by value.
//
// Values may be shared, and a list may hold itself, as in Python.
package pickle
