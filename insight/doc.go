// Package insight looks at a trained model and its data: which rows and edges are probably wrong, which recipe the data
// asks for, and whether explanations mean something.
//
// Everything rests on the energy that the model minimises. A node whose features disagree with its neighbourhood ends
// far from π(x_v); an edge between nodes that do not belong together keeps a high energy.
package insight
