"""Drives the service like the store layer of snapcraft 7 and newer: craft-store, unmodified from PyPI, with snapcraft's
names, variables and User-Agent.

argv: the service's address, and snapcraft's version. SNAPCRAFT_STORE_AUTH=onprem selects its login for a store on
premises, with the macaroon in SNAPCRAFT_ADMIN_MACAROON. Credentials are kept in the keyring, unless they are in
SNAPCRAFT_STORE_CREDENTIALS, or the login is exported (EPHEMERAL).
"""

import os
import sys

import craft_store
from craft_store import creds, endpoints
from craft_store.errors import StoreServerError

from lines import answer_each
from recorded_requests import RecordedRequests

SERVICE, VERSION = sys.argv[1:]
ON_PREMISES = os.environ.get("SNAPCRAFT_STORE_AUTH") == "onprem"

requests = RecordedRequests()


class OnPremises(craft_store.BaseClient):
    """The login on premises, for which craft-store leaves three steps to snapcraft."""

    def _get_macaroon(self, _token_request):
        return os.environ["SNAPCRAFT_ADMIN_MACAROON"]

    def _get_discharged_macaroon(self, root_macaroon, **_unused):
        url = SERVICE + self._endpoints.tokens_exchange
        answer = self.http_client.post(url, json={"macaroon": root_macaroon})
        return creds.marshal_candid_credentials(answer.json()["macaroon"])

    def _get_authorization_header(self):
        return "macaroon " + creds.unmarshal_candid_credentials(self._auth.get_credentials())


def new_client():
    settings = {
        "base_url": SERVICE,
        "storage_base_url": SERVICE,
        "application_name": "snapcraft",
        "user_agent": "snapcraft/%s debian/12 (amd64)" % VERSION,
        "environment_auth": "SNAPCRAFT_STORE_CREDENTIALS",
        "ephemeral": "EPHEMERAL" in os.environ,
    }
    if not ON_PREMISES:
        return craft_store.UbuntuOneStoreClient(
            auth_url=SERVICE, endpoints=endpoints.U1_SNAP_STORE, **settings
        )
    paths = endpoints.Endpoints(
        namespace="snap",
        whoami="/v1/tokens/whoami",
        tokens="",
        tokens_exchange="/v1/tokens/offline/exchange",
        valid_package_types=["snap"],
        list_releases_model=endpoints.SNAP_STORE.list_releases_model,
    )
    return OnPremises(endpoints=paths, **settings)


client = new_client()


def login(permissions, description="snapcraft@interop", ttl=3600, packages=(), channels=None, **person):
    credentials = client.login(
        permissions=permissions,
        description=description,
        ttl=ttl,
        packages=[endpoints.Package(name, "snap") for name in packages],
        channels=channels,
        **person,
    )
    return {"credentials": credentials}


def request(method, path, params=None, body=None):
    response = client.request(method, SERVICE + path, params=params, json=body)
    return {"status": response.status_code, "body": response.json()}


def carry_out(command):
    do = command.pop("do")
    if do == "login":
        answer = login(**command)
    elif do == "whoami":
        answer = {"status": 200, "body": client.whoami()}
    elif do == "request":
        answer = request(**command)
    elif do == "logout":
        client.logout()
        answer = {}
    else:
        raise ValueError("there is no command %r" % do)
    return {**answer, "requests": requests.take()}


def more_about(error):
    sent = {"requests": requests.take()}
    if not isinstance(error, StoreServerError):
        return sent
    return {**sent, "status": error.response.status_code, "list": repr(error.error_list)}


answer_each(carry_out, more_about)
