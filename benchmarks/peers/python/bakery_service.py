"""A service that checks tokens with Python's macaroonbakery, as a WSGI program on gunicorn with one worker.

The oven opens the root key's id, a root key store in memory has the key, and the checker verifies the macaroon, checks
its conditions and returns the identity that it declares. Nothing can be revoked. Writes BENCH_COUNT tokens to the file
BENCH_TOKENS, a line each, before it listens.
"""

import base64
import json
import os
from datetime import datetime, timedelta, timezone

import pymacaroons
from macaroonbakery import bakery, checkers


class Identities(bakery.IdentityClient):
    """Reads the identity from the token itself, and asks no other service."""

    def declared_identity(self, ctx, declared):
        return bakery.SimpleIdentity(declared["username"])

    def identity_from_context(self, ctx):
        return None, []


made = bakery.Bakery(
    location="ratafia.test", key=bakery.generate_key(), identity_client=Identities()
)
serializer = pymacaroons.serializers.BinarySerializer()


def write_tokens():
    expires = datetime.now(timezone.utc).replace(tzinfo=None) + timedelta(days=1)
    with open(os.environ["BENCH_TOKENS"], "w") as file:
        for at in range(int(os.environ["BENCH_COUNT"])):
            caveats = [checkers.declared_caveat("username", "person-%d" % (at % 10))]
            # The oven adds the expiry.
            macaroon = made.oven.macaroon(
                bakery.LATEST_VERSION, expires, caveats, [bakery.LOGIN_OP]
            )
            file.write(macaroon.macaroon.serialize(serializer) + "\n")


write_tokens()


def app(environ, start_response):
    text = environ.get("HTTP_AUTHORIZATION", "").removeprefix("Macaroon ")
    try:
        macaroon = pymacaroons.Macaroon.deserialize(text, serializer)
        context = checkers.AuthContext()
        info = made.checker.auth([[macaroon]]).allow(context, [bakery.LOGIN_OP])
    except Exception as error:  # each refusal has its own class
        start_response("401 Unauthorized", [("Content-Type", "text/plain")])
        return [str(error).encode()]
    body = json.dumps(
        {
            "account": {"username": info.identity.id(), "name": "A Person", "email": "a@example.com"},
            "channels": None,
            "packages": None,
            "permissions": None,
            "store_ids": None,
        }
    ).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    start_response("200 OK", headers)
    return [body]
