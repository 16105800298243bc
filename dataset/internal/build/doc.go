// Package build puts together what readers of data sets find: classes, splits and the graph.
package build
