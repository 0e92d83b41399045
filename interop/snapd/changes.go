// SPDX-License-Identifier: GPL-3.0-only (see main.go)

package main

import (
	"errors"
	"time"

	"github.com/snapcore/snapd/asserts"
	"github.com/snapcore/snapd/overlord/devicestate"
	"github.com/snapcore/snapd/overlord/state"
)

// settleDeadline is longer than anything that works: a 4096-bit device key takes a few seconds, a request at most 30.
const settleDeadline = 120 * time.Second

type changeState struct {
	Kind   string `json:"kind"`
	Status string `json:"status"`
	// The reason of a failure, as "snap change" shows it.
	Error string `json:"error,omitempty"`
	// The kind of the task that waits before it tries again.
	Waiting string `json:"waiting,omitempty"`
	// The lines that the tasks logged, oldest first.
	Log []string `json:"log,omitempty"`
}

// run lets snapd work until its newest change is finished or has a task that waits before it tries again.
func (dev *device) run() (*changeState, error) {
	for deadline := time.Now().Add(settleDeadline); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		// Managers that handle snaps complain about missing parts; a failed change has its own error.
		_ = dev.overlord.StateEngine().Ensure()
		if chg, settled := dev.newestChange(); settled {
			return chg, nil
		}
	}
	return nil, errors.New("snapd is still busy with its change")
}

func (dev *device) newestChange() (out *changeState, settled bool) {
	dev.st.Lock()
	defer dev.st.Unlock()
	var newest *state.Change
	for _, chg := range dev.st.Changes() {
		if newest == nil || chg.SpawnTime().After(newest.SpawnTime()) {
			newest = chg
		}
	}
	if newest == nil {
		return nil, true
	}
	out = &changeState{Kind: newest.Kind(), Status: newest.Status().String()}
	if err := newest.Err(); err != nil {
		out.Error = err.Error()
	}
	for _, task := range newest.Tasks() {
		out.Log = append(out.Log, task.Log()...)
		if task.AtTime().After(time.Now()) {
			out.Waiting = task.Kind()
		}
	}
	return out, newest.IsReady() || out.Waiting != ""
}

func (dev *device) endWaiting() {
	dev.st.Lock()
	defer dev.st.Unlock()
	for _, task := range dev.st.Tasks() {
		if task.AtTime().After(time.Now()) {
			task.At(time.Time{})
		}
	}
}

// remodel starts the change of "snap remodel", which begins with a registration for another model of the brand.
func (dev *device) remodel(encoded string) error {
	decoded, err := asserts.Decode([]byte(encoded))
	if err != nil {
		return err
	}
	model, ok := decoded.(*asserts.Model)
	if !ok {
		return errors.New("the assertion is not a model")
	}
	dev.st.Lock()
	defer dev.st.Unlock()
	_, err = devicestate.Remodel(dev.st, model)
	return err
}
