module ratafia.example/benchmarks

go 1.19

require (
	github.com/go-macaroon-bakery/macaroon-bakery/v3 v3.0.1
	gopkg.in/macaroon.v2 v2.1.0
)

require (
	github.com/go-macaroon-bakery/macaroonpb v1.0.0 // indirect
	github.com/golang/protobuf v1.4.3 // indirect
	github.com/rogpeppe/fastuuid v0.0.0-20150106093220-6724a57986af // indirect
	golang.org/x/crypto v0.0.0-20191011191535-87dc89f01550 // indirect
	golang.org/x/sys v0.0.0-20201119102817-f84b799fce68 // indirect
	google.golang.org/protobuf v1.25.0 // indirect
	gopkg.in/errgo.v1 v1.0.1 // indirect
)
