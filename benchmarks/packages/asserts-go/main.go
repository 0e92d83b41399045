// The program that measures snapd's asserts. See ../rates.ts.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"github.com/snapcore/snapd/asserts"
)

type work struct {
	name string
	run  func()
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	must(err)
	var in struct {
		Assertions map[string]string `json:"assertions"`
	}
	must(json.Unmarshal(data, &in))
	seconds, err := strconv.ParseFloat(os.Args[2], 64)
	must(err)
	rates := map[string]float64{}
	for _, w := range works(in.Assertions) {
		rateOf(w.run, seconds/2)
		rates[w.name] = rateOf(w.run, seconds)
	}
	out, err := json.Marshal(rates)
	must(err)
	fmt.Println(string(out))
}

func works(texts map[string]string) []work {
	read := func(name string) asserts.Assertion { return decode([]byte(texts[name])) }
	serialText, modelText := []byte(texts["serial"]), []byte(texts["model-acme-core-24"])
	requestText, smallText := []byte(texts["serial-request"]), []byte(texts["serial-request-2048"])
	sessionText := []byte(texts["device-session-request"])
	serial := read("serial").(*asserts.Serial)
	session := read("device-session-request")
	brandKey := read("account-key-acme-brand")
	publicKey, err := asserts.DecodePublicKey(brandKey.Body())
	must(err)
	request := read("serial-request").(*asserts.SerialRequest)
	small := read("serial-request-2048").(*asserts.SerialRequest)
	brand := read("account-acme-brand")
	database, err := asserts.OpenDatabase(&asserts.DatabaseConfig{
		Trusted:   []asserts.Assertion{read("account-test-root"), read("account-key-test-root")},
		Backstore: asserts.NewMemoryBackstore(),
	})
	must(err)
	must(database.Add(brand))
	must(database.Add(brandKey))
	return []work{
		{"decode serial", func() { decode(serialText) }},
		{"decode model", func() { decode(modelText) }},
		{"decode serial-request", func() { decode(requestText) }},
		{"decode device-session-request", func() { decode(sessionText) }},
		{"verify serial, RSA-4096", func() { must(asserts.SignatureCheck(serial, publicKey)) }},
		{"verify serial-request, RSA-4096", func() { must(asserts.SignatureCheck(request, request.DeviceKey())) }},
		{"verify serial-request, RSA-2048", func() { must(asserts.SignatureCheck(small, small.DeviceKey())) }},
		{"verify device-session-request, RSA-4096", func() { must(asserts.SignatureCheck(session, serial.DeviceKey())) }},
		{"decode and verify serial-request, RSA-4096", func() { decodeAndVerify(requestText) }},
		{"decode and verify serial-request, RSA-2048", func() { decodeAndVerify(smallText) }},
		{"trust chain of 3 signatures, RSA-4096", func() {
			// A check verifies only one signature, because the assertions below it were checked when they were added.
			must(database.Check(serial))
			must(database.Check(brandKey))
			must(database.Check(brand))
		}},
	}
}

func decode(text []byte) asserts.Assertion {
	assertion, err := asserts.Decode(text)
	must(err)
	return assertion
}

func decodeAndVerify(text []byte) {
	request := decode(text).(*asserts.SerialRequest)
	must(asserts.SignatureCheck(request, request.DeviceKey()))
}

// rateOf runs a function for this many seconds of CPU time, and returns its runs per second.
func rateOf(run func(), seconds float64) float64 {
	begin := cpuSeconds()
	for runs := 0; ; {
		for i := 0; i < 20; i++ {
			run()
		}
		runs += 20
		if spent := cpuSeconds() - begin; spent > seconds {
			return float64(runs) / spent
		}
	}
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
