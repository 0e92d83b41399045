module ratafia.example/macaroon-rates

go 1.19

require gopkg.in/macaroon.v2 v2.1.0

require golang.org/x/crypto v0.0.0-20180723164146-c126467f60eb // indirect
