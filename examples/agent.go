// Logs in as an agent, without a browser, and prints a developer token:
//
//	BAKERY_AGENT_FILE=agents.json go run agent.go
//
// The agents file comes from `ratafia agents add`. Requires github.com/go-macaroon-bakery/macaroon-bakery/v3.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net/http"

	"github.com/go-macaroon-bakery/macaroon-bakery/v3/bakery"
	"github.com/go-macaroon-bakery/macaroon-bakery/v3/httpbakery"
	"github.com/go-macaroon-bakery/macaroon-bakery/v3/httpbakery/agent"
)

const tokens = "http://127.0.0.1:8080/api/v2/tokens"

// post returns the "macaroon" of the answer.
func post(url, body, macaroons string) string {
	request, err := http.NewRequest("POST", url, bytes.NewBufferString(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Macaroons", macaroons)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Macaroon string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != 200 {
		log.Fatal(response.Status, err)
	}
	return answer.Macaroon
}

func main() {
	client := httpbakery.NewClient()
	info, err := agent.AuthInfoFromEnvironment() // the file that BAKERY_AGENT_FILE names
	if err != nil {
		log.Fatal(err)
	}
	if err := agent.SetUpAuth(client, info); err != nil {
		log.Fatal(err)
	}
	var root bakery.Macaroon
	if err := json.Unmarshal([]byte(post(tokens, `{"permissions":["package_upload"]}`, "")), &root); err != nil {
		log.Fatal(err)
	}
	slice, err := client.DischargeAll(context.Background(), &root)
	if err != nil {
		log.Fatal(err)
	}
	list, err := json.Marshal(slice)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(post(tokens+"/exchange", "{}", base64.StdEncoding.EncodeToString(list)))
}
