// SPDX-License-Identifier: GPL-3.0-only (see main.go)

package main

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"

	"github.com/snapcore/snapd/asserts"
	"github.com/snapcore/snapd/asserts/assertstest"
)

// signing describes an assertion that snapd's own code signs, like a brand or a store.
type signing struct {
	// The path of the private key in PEM (PKCS#8, RSA).
	Key       string                 `json:"key"`
	Authority string                 `json:"authority"`
	Type      string                 `json:"type"`
	Headers   map[string]interface{} `json:"headers"`
	Body      string                 `json:"body"`
	// For an account-key: the path of the key it describes, like Key. sign adds the key's id and its public half.
	Subject string `json:"subject"`
}

func (s signing) sign() (string, error) {
	key, err := readKey(s.Key)
	if err != nil {
		return "", err
	}
	typ := asserts.Type(s.Type)
	if typ == nil {
		return "", fmt.Errorf("snapd knows no assertion type %q", s.Type)
	}
	body := []byte(s.Body)
	if s.Subject != "" {
		subject, err := readKey(s.Subject)
		if err != nil {
			return "", err
		}
		s.Headers["public-key-sha3-384"] = subject.PublicKey().ID()
		if body, err = asserts.EncodePublicKey(subject.PublicKey()); err != nil {
			return "", err
		}
	}
	signed, err := assertstest.NewSigningDB(s.Authority, key).Sign(typ, s.Headers, body, "")
	if err != nil {
		return "", err
	}
	return string(asserts.Encode(signed)), nil
}

func readKey(path string) (asserts.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("no PEM in " + path)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	rsaKey, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("not an RSA key: " + path)
	}
	return asserts.RSAPrivateKey(rsaKey), nil
}
