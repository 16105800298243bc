package main

import (
	"os"
	"strconv"
	"strings"
)

// thisHost reads the files in which Linux describes itself.
func thisHost() host {
	h := host{
		cpu:       field(read("/proc/cpuinfo"), "model name"),
		memory:    kib(field(read("/proc/meminfo"), "MemTotal")),
		free:      kib(field(read("/proc/meminfo"), "MemAvailable")),
		hugePages: bracketed(read("/sys/kernel/mm/transparent_hugepage/enabled")),
	}
	limit, err := strconv.ParseUint(strings.TrimSpace(read("/sys/fs/cgroup/memory.max")), 10, 64)
	if err == nil && limit < h.memory { // a container with less memory than its machine
		used, _ := strconv.ParseUint(strings.TrimSpace(read("/sys/fs/cgroup/memory.current")), 10, 64)
		h.memory, h.free = limit, min(h.free, limit-min(used, limit))
	}
	return h
}

// peakMemory is the largest number of bytes that this process had in memory.
func peakMemory() uint64 { return kib(field(read("/proc/self/status"), "VmHWM")) }

// read is the content of a file, empty if there is none.
func read(name string) string {
	text, _ := os.ReadFile(name)
	return string(text)
}

// field is the value of the first line "key : value".
func field(text, key string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// kib is the number of bytes in a text like "24 kB".
func kib(text string) uint64 {
	number, _, _ := strings.Cut(text, " ")
	n, _ := strconv.ParseUint(number, 10, 64)
	return n << 10
}

// bracketed is the choice marked in a text like "always [madvise] never".
func bracketed(text string) string {
	_, rest, _ := strings.Cut(text, "[")
	choice, _, _ := strings.Cut(rest, "]")
	return choice
}
