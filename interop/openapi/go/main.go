// Calls both APIs with the clients that oapi-codegen generated from their OpenAPI documents. Reads one JSON command per
// line, and writes one JSON answer per line.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"

	"ratafia.example/openapi/management"
	"ratafia.example/openapi/public"
)

type command struct {
	Do      string `json:"do"`
	Service string `json:"service"`
	Token   string `json:"token"`
}

type answer struct {
	Username string `json:"username,omitempty"`
	Listed   int    `json:"listed,omitempty"`
	// The error code, if the service refused.
	Code  string `json:"code,omitempty"`
	Error string `json:"error,omitempty"`
}

func (c command) authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Macaroon "+c.Token)
	return nil
}

func (c command) whoami() (answer, error) {
	client, err := public.NewClientWithResponses(c.Service, public.WithRequestEditorFn(c.authorize))
	if err != nil {
		return answer{}, err
	}
	ctx := context.Background()
	me, err := client.WhoamiWithResponse(ctx, nil)
	if err != nil {
		return answer{}, err
	}
	if me.JSON401 != nil {
		return answer{Code: string(me.JSON401.ErrorList[0].Code)}, nil
	}
	list, err := client.ListTokensWithResponse(ctx, nil)
	if err != nil {
		return answer{}, err
	}
	if me.JSON200 == nil || list.JSON200 == nil {
		return answer{}, errors.New(me.Status() + ", " + list.Status())
	}
	return answer{Username: me.JSON200.Account.Username, Listed: len(list.JSON200.Macaroons)}, nil
}

func (c command) me() (answer, error) {
	client, err := management.NewClientWithResponses(c.Service, management.WithRequestEditorFn(c.authorize))
	if err != nil {
		return answer{}, err
	}
	me, err := client.MeWithResponse(context.Background())
	if err != nil {
		return answer{}, err
	}
	if me.JSON401 != nil {
		return answer{Code: string(me.JSON401.ErrorList[0].Code)}, nil
	}
	if me.JSON200 == nil {
		return answer{}, errors.New(me.Status())
	}
	return answer{Username: me.JSON200.Username}, nil
}

func (c command) carryOut() (answer, error) {
	switch c.Do {
	case "whoami":
		return c.whoami()
	case "me":
		return c.me()
	}
	return answer{}, errors.New("there is no command " + c.Do)
}

func main() {
	commands, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var one command
		if commands.Decode(&one) != nil {
			return
		}
		out, err := one.carryOut()
		if err != nil {
			out = answer{Error: err.Error()}
		}
		_ = answers.Encode(out)
	}
}
