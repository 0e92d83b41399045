// SPDX-License-Identifier: GPL-3.0-only

// Drives the service with snapd's own code: this program links snapd's packages and acts as a device. It reads one JSON
// command per line on standard input, and writes one JSON answer per line on standard output. A process is one run of
// snapd; the state that snapd keeps over a restart is in the directory of "start".
//
// This program is GPL-3 by linking: snapd's packages are under the GNU General Public License version 3, and so is
// every binary made with them. It is a test program and is never shipped. The rest of the project is under Apache-2.0.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/snapcore/snapd/asserts"
)

// snapdVersion is the version of the linked packages; interop/setup sets it from Debian's package.
var snapdVersion = "unknown"

type command struct {
	Do string `json:"do"`
	signing
	configuration
	// The name of a snap, for "info" and "download".
	Snap string `json:"snap"`
	// The encoded assertion, for "decode".
	Assertion string `json:"assertion"`
	// The encoded new model, for "remodel".
	NewModel string `json:"new-model"`
}

type answer struct {
	// snapd's message if it refused or failed. The message of a failed change is in Change instead.
	Error string `json:"error,omitempty"`
	// For "sign": the encoded assertion.
	Assertion string `json:"assertion,omitempty"`
	// The newest change, whether snapd started it by itself or on request; absent if there is none yet.
	Change *changeState `json:"change,omitempty"`
	Device *deviceState `json:"device,omitempty"`
}

func main() {
	var dev *device
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	lines := bufio.NewScanner(os.Stdin)
	// A command can contain encoded assertions, which are long.
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var cmd command
		if err := json.Unmarshal(lines.Bytes(), &cmd); err != nil {
			fatal(err)
		}
		out, err := obey(&dev, cmd)
		if dev != nil {
			out.Device = dev.state()
		}
		if err != nil {
			out.Error = err.Error()
		}
		if err := encoder.Encode(out); err != nil {
			fatal(err)
		}
	}
}

func obey(dev **device, cmd command) (out answer, err error) {
	switch cmd.Do {
	case "sign":
		out.Assertion, err = cmd.signing.sign()
		return out, err
	case "decode":
		// Decoding checks an assertion before its signature.
		_, err = asserts.Decode([]byte(cmd.Assertion))
		return out, err
	case "download":
		return out, download(cmd.Snap, cmd.Directory)
	case "start":
		*dev, err = start(cmd.configuration)
		return out, err
	}
	if *dev == nil {
		return out, fmt.Errorf("%q before \"start\"", cmd.Do)
	}
	switch cmd.Do {
	case "run":
		// Runs snapd until it would wait for one of its own intervals.
		out.Change, err = (*dev).run()
	case "retry":
		// Pretends that the wait of a task (60 s) is over.
		(*dev).endWaiting()
		out.Change, err = (*dev).run()
	case "session":
		err = (*dev).store.EnsureDeviceSession()
	case "sections":
		// A request of API version 1 has the session in X-Device-Authorization.
		err = (*dev).sections()
	case "info":
		// A request of API version 2 has the session in Snap-Device-Authorization.
		err = (*dev).info(cmd.Snap)
	case "remodel":
		if err = (*dev).remodel(cmd.NewModel); err == nil {
			out.Change, err = (*dev).run()
		}
	default:
		err = fmt.Errorf("unknown command %q", cmd.Do)
	}
	return out, err
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
