// Package prepare makes features ready for training: on one scale, and spoilt on purpose where a run tries how it
// bears that.
package prepare
