//go:build programs

package main

// This file is never built. It makes go.mod and go.sum cover a program of snapd that benchmarks/setup builds.
import _ "github.com/snapcore/snapd/tests/lib/fakedevicesvc"
