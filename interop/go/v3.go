package main

import (
	"context"
	"encoding/json"

	"github.com/go-macaroon-bakery/macaroon-bakery/v3/bakery"
	"github.com/go-macaroon-bakery/macaroon-bakery/v3/httpbakery"
	"github.com/go-macaroon-bakery/macaroon-bakery/v3/httpbakery/agent"
	"gopkg.in/macaroon.v2"
)

type v3 struct{ *httpbakery.Client }

func newV3() (bakeryClient, error) {
	client := httpbakery.NewClient()
	info, err := agent.AuthInfoFromEnvironment()
	if err == nil {
		return v3{client}, agent.SetUpAuth(client, info)
	}
	client.AddInteractor(httpbakery.WebBrowserInteractor{OpenWebBrowser: openBrowser})
	return v3{client}, nil
}

func (client v3) dischargeAll(root []byte) (macaroon.Slice, error) {
	var decoded bakery.Macaroon
	if err := json.Unmarshal(root, &decoded); err != nil {
		return nil, err
	}
	return client.DischargeAll(context.Background(), &decoded)
}
