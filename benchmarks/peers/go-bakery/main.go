// A service that checks tokens with Go's macaroon-bakery on net/http, as its users would write one. The oven opens
// the root key's id, a root key store in memory has the key, and the checker verifies the macaroon, checks its
// conditions and returns the identity that it declares. Nothing can be revoked. Writes the requested number of tokens
// to the file of its first argument, a line each, and then listens.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-macaroon-bakery/macaroon-bakery/v3/bakery"
	"github.com/go-macaroon-bakery/macaroon-bakery/v3/bakery/checkers"
	"github.com/go-macaroon-bakery/macaroon-bakery/v3/bakery/identchecker"
	"gopkg.in/macaroon.v2"
)

// identities reads the identity from the token itself and asks no other service.
type identities struct{}

func (identities) IdentityFromContext(context.Context) (identchecker.Identity, []checkers.Caveat, error) {
	return nil, nil, nil
}

func (identities) DeclaredIdentity(_ context.Context, declared map[string]string) (identchecker.Identity, error) {
	name, ok := declared["username"]
	if !ok {
		return nil, fmt.Errorf("no username is declared")
	}
	return identchecker.SimpleIdentity(name), nil
}

func main() {
	count, err := strconv.Atoi(os.Args[2])
	check(err)
	b := identchecker.NewBakery(identchecker.BakeryParams{
		Location:       "ratafia.test",
		RootKeyStore:   bakery.NewMemRootKeyStore(),
		Key:            bakery.MustGenerateKey(),
		IdentityClient: identities{},
	})
	check(writeTokens(b, os.Args[1], count))

	http.HandleFunc("/whoami", func(w http.ResponseWriter, r *http.Request) {
		slice, err := presented(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		info, err := b.Checker.Auth(slice).Allow(r.Context(), identchecker.LoginOp)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]interface{}{
			"account":  map[string]string{"username": info.Identity.Id(), "name": "A Person", "email": "a@example.com"},
			"channels": nil, "packages": nil, "permissions": nil, "store_ids": nil,
		})
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Printf("listening on http://%s\n", listener.Addr())
	check(http.Serve(listener, nil))
}

// writeTokens mints tokens with the caveats of a Ratafia token.
func writeTokens(b *identchecker.Bakery, name string, count int) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewWriter(file)
	for at := 0; at < count; at++ {
		m, err := b.Oven.NewMacaroon(context.Background(), bakery.LatestVersion, []checkers.Caveat{
			checkers.TimeBeforeCaveat(time.Now().Add(24 * time.Hour)),
			checkers.DeclaredCaveat("username", fmt.Sprintf("person-%d", at%10)),
		}, identchecker.LoginOp)
		if err != nil {
			return err
		}
		binary, err := macaroon.Slice{m.M()}.MarshalBinary()
		if err != nil {
			return err
		}
		fmt.Fprintln(lines, base64.RawURLEncoding.EncodeToString(binary))
	}
	return lines.Flush()
}

func presented(r *http.Request) (macaroon.Slice, error) {
	text := strings.TrimPrefix(r.Header.Get("Authorization"), "Macaroon ")
	binary, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	var slice macaroon.Slice
	return slice, slice.UnmarshalBinary(binary)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
