"""Runs a login from creation to revocation, and the requests of devices, with the client that openapi-python-client
generated from the OpenAPI document. Only the binding of macaroons uses pymacaroons."""

import base64
import json
import os
import sys
from urllib.parse import parse_qs, urlparse

import pymacaroons
from pymacaroons.serializers import json_serializer

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "clients"))
sys.path.insert(0, os.environ["GENERATED"])

from lines import answer_each, say  # noqa: E402
from ratafia_client import AuthenticatedClient, Client  # noqa: E402
from ratafia_client.api.devices import (  # noqa: E402
    device_session,
    model_assertion,
    nonces,
    open_session,
    register_device,
    request_id,
)
from ratafia_client.api.identity import discharge, discharge_info, wait_for_login  # noqa: E402
from ratafia_client.api.tokens import (  # noqa: E402
    create_token,
    exchange_token,
    list_tokens,
    revoke_token,
    whoami,
)
from ratafia_client.models import (  # noqa: E402
    CreateTokenRequest,
    DischargeRequest,
    ExchangeTokenBody,
    OpenSessionRequest,
    PackageReference,
    Permission,
    RevokeTokenRequest,
)
from ratafia_client.types import File  # noqa: E402

JSON = json_serializer.JsonSerializer()


def ok(response):
    """Returns the body of a 200, in the generated type."""
    if response.status_code != 200:
        raise RuntimeError("%d: %s" % (response.status_code, response.content[:500]))
    return response.parsed


def login(client, description):
    """Logs in and returns the token. Prints the address that the user has to open."""
    limits = CreateTokenRequest(
        permissions=[Permission.PACKAGE_ACCESS, Permission.PACKAGE_UPLOAD],
        channels=["edge"],
        packages=[PackageReference(name="hello-world")],
        description=description,
    )
    root = json.loads(ok(create_token.sync_detailed(client=client, body=limits)).macaroon)
    caveat = next(one for one in root["c"] if "l" in one)
    wanted = {"id64": caveat["i64"]} if "i64" in caveat else {"id": caveat["i"]}
    refused = discharge.sync_detailed(client=client, body=DischargeRequest(**wanted))
    assert refused.status_code == 401, refused.content
    assert refused.parsed.code == "interaction required"
    browser = refused.parsed.info.interaction_methods.browser_window
    say({"visit": browser.visit_url})
    [did] = parse_qs(urlparse(browser.wait_token_url).query)["did"]
    token = ok(wait_for_login.sync_detailed(client=client, did=did))
    logged_in = DischargeRequest(**wanted, token64=token.token64, token_kind=token.kind)
    discharged = ok(discharge.sync_detailed(client=client, body=logged_in)).macaroon.to_dict()
    first = pymacaroons.Macaroon.deserialize(json.dumps(root), JSON)
    second = pymacaroons.Macaroon.deserialize(json.dumps(discharged.get("m", discharged)), JSON)
    bound = first.prepare_for_request(second)
    listed = "[%s]" % ",".join(one.serialize(JSON) for one in (first, bound))
    macaroons = base64.urlsafe_b64encode(listed.encode()).decode()
    exchanged = exchange_token.sync_detailed(
        client=client, body=ExchangeTokenBody(), macaroons=macaroons
    )
    return ok(exchanged).macaroon


def life(command):
    base = {"base_url": command["service"], "timeout": 60}
    token = login(Client(**base), command["description"])
    client = AuthenticatedClient(**base, token=token, prefix="Macaroon")
    me = ok(whoami.sync_detailed(client=client))
    [session] = ok(list_tokens.sync_detailed(client=client)).macaroons
    body = RevokeTokenRequest(session_id=session.session_id)
    [revoked] = ok(revoke_token.sync_detailed(client=client, body=body)).macaroons
    after = whoami.sync_detailed(client=client)
    return {
        "account": me.account.to_dict(),
        "channels": me.channels,
        "permissions": me.permissions,
        "listed": session.to_dict(),
        "revoked": revoked.to_dict(),
        "after": {"status": after.status_code, "code": after.parsed.error_list[0].code},
    }


def once(command):
    """Returns a nonce of each kind, and the version of the identity service."""
    client = Client(base_url=command["service"])
    return {
        "nonce": ok(nonces.sync_detailed(client=client)).nonce,
        "request-id": ok(request_id.sync_detailed(client=client)).request_id,
        "discharger": ok(discharge_info.sync_detailed(client=client)).version,
    }


def register(command):
    client = Client(base_url=command["service"])
    stream = File(payload=command["stream"].encode())
    return {"serial": ok(register_device.sync_detailed(client=client, body=stream)).decode()}


def session(command):
    client = Client(base_url=command["service"])
    body = OpenSessionRequest.from_dict(command["body"])
    macaroon = ok(open_session.sync_detailed(client=client, body=body)).macaroon
    header = 'Macaroon root="%s"' % macaroon
    device = ok(device_session.sync_detailed(client=client, x_device_authorization=header))
    key = {"series": "16", "brand_id": device.brand_id, "model": device.model}
    model = ok(model_assertion.sync_detailed(client=client, **key))
    return {"device": device.to_dict(), "model": model.decode()}


COMMANDS = {"life": life, "once": once, "register": register, "session": session}

if __name__ == "__main__":
    answer_each(lambda command: COMMANDS[command["do"]](command))
