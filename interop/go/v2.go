package main

import (
	"context"
	"encoding/json"

	"gopkg.in/macaroon-bakery.v2/bakery"
	"gopkg.in/macaroon-bakery.v2/httpbakery"
	"gopkg.in/macaroon-bakery.v2/httpbakery/agent"
	"gopkg.in/macaroon.v2"
)

type v2 struct{ *httpbakery.Client }

func newV2() (bakeryClient, error) {
	client := httpbakery.NewClient()
	info, err := agent.AuthInfoFromEnvironment()
	if err == nil {
		return v2{client}, agent.SetUpAuth(client, info)
	}
	client.AddInteractor(httpbakery.WebBrowserInteractor{OpenWebBrowser: openBrowser})
	return v2{client}, nil
}

func (client v2) dischargeAll(root []byte) (macaroon.Slice, error) {
	var decoded bakery.Macaroon
	if err := json.Unmarshal(root, &decoded); err != nil {
		return nil, err
	}
	return client.DischargeAll(context.Background(), &decoded)
}
