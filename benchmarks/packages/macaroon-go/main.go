// The program that measures Go's macaroon.v2. See ../rates.ts.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"gopkg.in/macaroon.v2"
)

type inputs struct {
	RootKey       []byte `json:"rootKey"`
	Token         []byte `json:"token"`
	TokenJSON     string `json:"tokenJson"`
	RootJSON      string `json:"rootJson"`
	DischargeJSON string `json:"dischargeJson"`
	Condition     string `json:"condition"`
}

type work struct {
	name string
	run  func()
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	must(err)
	var in inputs
	must(json.Unmarshal(data, &in))
	var texts struct {
		Token string `json:"token"`
	}
	must(json.Unmarshal(data, &texts))
	seconds, err := strconv.ParseFloat(os.Args[2], 64)
	must(err)
	rates := map[string]float64{}
	for _, w := range works(in, texts.Token) {
		rateOf(w.run, seconds/2)
		rates[w.name] = rateOf(w.run, seconds)
	}
	out, err := json.Marshal(rates)
	must(err)
	fmt.Println(string(out))
}

func works(in inputs, tokenText string) []work {
	readJSON := func(text string) *macaroon.Macaroon {
		var m macaroon.Macaroon
		must(m.UnmarshalJSON([]byte(text)))
		return &m
	}
	readBinary := func(data []byte) *macaroon.Macaroon {
		var m macaroon.Macaroon
		must(m.UnmarshalBinary(data))
		return &m
	}
	verify := func(root *macaroon.Macaroon, discharges ...*macaroon.Macaroon) {
		_, err := root.VerifySignature(in.RootKey, discharges)
		must(err)
	}
	token := readBinary(in.Token)
	root, discharge := readJSON(in.RootJSON), readJSON(in.DischargeJSON)
	return []work{
		{"decode token, binary", func() { readBinary(in.Token) }},
		{"decode token, JSON", func() { readJSON(in.TokenJSON) }},
		{"decode root and discharge, JSON", func() { readJSON(in.RootJSON); readJSON(in.DischargeJSON) }},
		{"verify token", func() { verify(token) }},
		{"verify root and discharge", func() { verify(root, discharge) }},
		{"decode and verify token, base64", func() {
			data, err := macaroon.Base64Decode([]byte(tokenText))
			must(err)
			verify(readBinary(data))
		}},
		{"decode and verify root and discharge, JSON", func() {
			verify(readJSON(in.RootJSON), readJSON(in.DischargeJSON))
		}},
		{"attenuate token, encode binary", func() {
			made := token.Clone()
			must(made.AddFirstPartyCaveat([]byte(in.Condition)))
			_, err := made.MarshalBinary()
			must(err)
		}},
	}
}

// rateOf runs a function for this many seconds of CPU time, and returns its runs per second.
func rateOf(run func(), seconds float64) float64 {
	begin := cpuSeconds()
	for runs := 0; ; {
		for i := 0; i < 50; i++ {
			run()
		}
		runs += 50
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
