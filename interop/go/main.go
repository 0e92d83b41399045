// Drives the service with Go's macaroon-bakery, unmodified from its module. The argument selects version 2 or 3. The
// program reads one JSON command per line on standard input, and writes one JSON answer per line on standard output.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"

	"gopkg.in/macaroon.v2"
)

// bakeryClient has the common methods of both versions of httpbakery.Client.
type bakeryClient interface {
	Do(*http.Request) (*http.Response, error)
	// dischargeAll accepts a root macaroon in JSON, with or without the envelope of the bakery.
	dischargeAll(root []byte) (macaroon.Slice, error)
}

// versions has the constructors. Each returns a client that logs in as the agent of BAKERY_AGENT_FILE, as Go programs
// do; without that file it logs in with $BROWSER.
var versions = map[string]func() (bakeryClient, error){"v2": newV2, "v3": newV3}

type command struct {
	Do string `json:"do"`
	// The service's address, for "login".
	Service string `json:"service"`
	// The body of POST /api/v2/tokens, for "login", or of the request, for "call".
	Body json.RawMessage `json:"body"`
	// The root macaroon as the service gave it, for "discharge".
	Macaroon string `json:"macaroon"`
	// The request, for "call".
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

type answer struct {
	Error  string            `json:"error,omitempty"`
	Status int               `json:"status,omitempty"`
	Header map[string]string `json:"headers,omitempty"`
	Body   interface{}       `json:"body,omitempty"`
	Token  string            `json:"token,omitempty"`
	// The value of the header Macaroons.
	Macaroons string `json:"macaroons,omitempty"`
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		printVersions()
		return
	}
	if len(os.Args) != 2 || versions[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: go-bakery v2|v3|version")
		os.Exit(2)
	}
	client, err := versions[os.Args[1]]()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answers := json.NewEncoder(os.Stdout)
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var c command
		var a answer
		if err = json.Unmarshal(line, &c); err == nil {
			a, err = carryOut(client, c)
		}
		if err != nil {
			a = answer{Error: err.Error()}
		}
		if err := answers.Encode(a); err != nil {
			return
		}
	}
}

func openBrowser(u *url.URL) error {
	words := strings.Fields(os.Getenv("BROWSER"))
	var arguments []string
	for _, word := range words {
		switch word {
		case "&":
		case "%s":
			arguments = append(arguments, u.String())
		default:
			arguments = append(arguments, word)
		}
	}
	browser := exec.Command(arguments[0], arguments[1:]...)
	browser.Stderr = os.Stderr
	return browser.Start()
}

func carryOut(client bakeryClient, c command) (answer, error) {
	switch c.Do {
	case "login":
		return login(client, c)
	case "discharge":
		header, err := discharge(client, c.Macaroon)
		return answer{Macaroons: header}, err
	case "call":
		return call(client, c.Method, c.URL, c.Headers, c.Body)
	}
	return answer{}, fmt.Errorf("there is no command %q", c.Do)
}

func login(client bakeryClient, c command) (answer, error) {
	macaroon, err := macaroonOf(call(client, "POST", c.Service+"/api/v2/tokens", nil, c.Body))
	if err != nil {
		return answer{}, err
	}
	header, err := discharge(client, macaroon)
	if err != nil {
		return answer{}, err
	}
	headers := map[string]string{"Macaroons": header}
	token, err := macaroonOf(call(client, "POST", c.Service+"/api/v2/tokens/exchange", headers, []byte("{}")))
	return answer{Token: token}, err
}

func macaroonOf(a answer, err error) (string, error) {
	if err != nil {
		return "", err
	}
	body, _ := a.Body.(map[string]interface{})
	macaroon, _ := body["macaroon"].(string)
	if macaroon == "" {
		return "", fmt.Errorf("status %d without a macaroon: %v", a.Status, a.Body)
	}
	return macaroon, nil
}

func discharge(client bakeryClient, macaroon string) (string, error) {
	slice, err := client.dischargeAll([]byte(macaroon))
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(slice)
	return base64.StdEncoding.EncodeToString(text), err
}

// call sends a request with the bakery client, which looks for a macaroon to discharge in every 401.
func call(client bakeryClient, method, url string, headers map[string]string, body []byte) (answer, error) {
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		return answer{}, err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	if len(body) > 0 {
		request.Body, request.ContentLength = seekableBody{bytes.NewReader(body)}, int64(len(body))
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	a := answer{Status: response.StatusCode, Header: map[string]string{}}
	for name := range response.Header {
		a.Header[strings.ToLower(name)] = response.Header.Get(name)
	}
	return a, json.NewDecoder(response.Body).Decode(&a.Body)
}

// seekableBody is for version 2 of the bakery, which sends the body again after a discharge: since Go 1.19 it does not
// find the seeker in a body that http.NewRequest made from a reader.
type seekableBody struct{ *bytes.Reader }

func (seekableBody) Close() error { return nil }

func printVersions() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	fmt.Println(info.GoVersion)
	for _, module := range info.Deps {
		if strings.Contains(module.Path, "macaroon") {
			fmt.Println(module.Path, module.Version)
		}
	}
}
