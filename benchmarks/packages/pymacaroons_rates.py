"""The program that measures pymacaroons. See rates.ts. Its binary form is always in base64."""

import base64
import json
import sys
import time

from pymacaroons import Macaroon, Verifier
from pymacaroons.serializers import JsonSerializer

JSON = JsonSerializer()

with open(sys.argv[1], encoding="utf-8") as file:
    inputs = json.load(file)
seconds = float(sys.argv[2])

root_key = base64.b64decode(inputs["rootKey"])
token_text = inputs["token"]


def read(name):
    return JSON.deserialize(inputs[name])


def read_slice():
    return [read("rootJson"), read("dischargeJson")]


def verify(macaroons):
    verifier = Verifier()
    verifier.satisfy_general(lambda condition: True)
    if not verifier.verify(macaroons[0], root_key, macaroons[1:]):
        raise AssertionError("not verified")


def attenuate():
    made = Macaroon(
        location=token.location,
        identifier=token.identifier_bytes,
        caveats=list(token.caveats),
        signature=token.signature_bytes,
        version=token.version,
    )
    made.add_first_party_caveat(inputs["condition"])
    return made.serialize()


token = Macaroon.deserialize(token_text)
whole = read_slice()

WORKS = {
    "decode token, JSON": lambda: read("tokenJson"),
    "decode root and discharge, JSON": read_slice,
    "verify token": lambda: verify([token]),
    "verify root and discharge": lambda: verify(whole),
    "decode and verify token, base64": lambda: verify([Macaroon.deserialize(token_text)]),
    "decode and verify root and discharge, JSON": lambda: verify(read_slice()),
    "attenuate token, encode binary": attenuate,
}


def rate(run, most):
    runs, begin = 0, time.process_time()
    while True:
        for _ in range(20):
            run()
        runs += 20
        spent = time.process_time() - begin
        if spent > most:
            return runs / spent


rates = {}
for work, run in WORKS.items():
    rate(run, seconds / 2)
    rates[work] = rate(run, seconds)
print(json.dumps(rates))
