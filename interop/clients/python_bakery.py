"""Drives the service with py-macaroon-bakery and pymacaroons, unmodified from PyPI.

With BAKERY_AGENT_FILE it logs in as that agent. Otherwise it logs in with the browser that BROWSER names. With "tell" in
the command, it prints the line {"visit": URL} instead, for the test to open.
"""

import base64
import json
import os

import pymacaroons
from macaroonbakery import bakery, httpbakery
from macaroonbakery.httpbakery import agent
from pymacaroons.serializers import json_serializer

from lines import answer_each, say


def new_client(tell):
    path = os.environ.get("BAKERY_AGENT_FILE")
    if path:
        return httpbakery.Client(
            interaction_methods=[agent.AgentInteractor(agent.load_auth_info(path))]
        )
    if tell:
        interactor = httpbakery.WebBrowserInteractor(open=lambda url: say({"visit": url}))
        return httpbakery.Client(interaction_methods=[interactor])
    return httpbakery.Client()


def to_json(macaroon):
    return macaroon.serialize(json_serializer.JsonSerializer())


def discharge(macaroon, tell=False):
    """Discharges a root. Returns the value of the header Macaroons, formatted as by craft-store."""
    root = bakery.Macaroon.from_dict(json.loads(macaroon))
    discharged = bakery.discharge_all(root, new_client(tell).acquire_discharge)
    text = "[" + ",".join(map(to_json, discharged)) + "]"
    return base64.urlsafe_b64encode(text.encode()).decode("ascii")


def call(method, url, headers=None, body=None):
    """Sends a request with the bakery client, which looks for a macaroon to discharge in every 401."""
    response = httpbakery.Client().request(method, url, headers=headers, json=body)
    return {
        "status": response.status_code,
        "headers": {name.lower(): value for name, value in response.headers.items()},
        "body": response.json(),
    }


def macaroon_of(answer):
    if answer["status"] != 200:
        raise RuntimeError("status %d: %s" % (answer["status"], answer["body"]))
    return answer["body"]["macaroon"]


def login(command):
    tokens = command["service"] + "/api/v2/tokens"
    root = macaroon_of(call("POST", tokens, body=command["body"]))
    headers = {"Macaroons": discharge(root, command.get("tell", False))}
    return {"token": macaroon_of(call("POST", tokens + "/exchange", headers, {}))}


def attenuate(token, conditions):
    """Appends first-party caveats as a holder does offline. Keeps the format of the macaroon."""
    serializer = json_serializer.JsonSerializer() if token.startswith("{") else None
    macaroon = pymacaroons.Macaroon.deserialize(token, serializer)
    for condition in conditions:
        macaroon.add_first_party_caveat(condition)
    return {
        "token": macaroon.serialize(serializer),
        "conditions": [
            caveat.caveat_id_bytes.decode() for caveat in macaroon.first_party_caveats()
        ],
    }


def carry_out(command):
    do = command["do"]
    if do == "login":
        return login(command)
    if do == "discharge":
        return {"macaroons": discharge(command["macaroon"], command.get("tell", False))}
    if do == "call":
        return call(command["method"], command["url"], command.get("headers"), command.get("body"))
    if do == "attenuate":
        return attenuate(command["token"], command["conditions"])
    raise ValueError("there is no command %r" % do)


answer_each(carry_out)
