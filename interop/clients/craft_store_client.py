"""Drives the service with craft-store's StoreClient, unmodified from PyPI.

argv: the service's address, and the name of craft-store's endpoints: SNAP_STORE or CHARMHUB. It uses the credentials in
STORE_CREDENTIALS if there are any, as a build farm does. Otherwise it logs in with the browser that BROWSER names, and
keeps the credentials in memory.
"""

import os
import sys

import craft_store
from craft_store import endpoints
from craft_store.errors import StoreServerError

from lines import answer_each

SERVICE, STORE = sys.argv[1:]
ENDPOINTS = getattr(endpoints, STORE)

client = craft_store.StoreClient(
    base_url=SERVICE,
    storage_base_url=SERVICE,
    endpoints=ENDPOINTS,
    application_name="interop",
    user_agent="interop-test/1.0",
    ephemeral="STORE_CREDENTIALS" not in os.environ,
    environment_auth="STORE_CREDENTIALS",
)


def login(permissions, description, ttl, packages=None, channels=None):
    wanted = packages and [endpoints.Package(name, ENDPOINTS.valid_package_types[0]) for name in packages]
    credentials = client.login(
        permissions=permissions, description=description, ttl=ttl, packages=wanted, channels=channels
    )
    return {"credentials": credentials}


def request(method, path, params=None, body=None):
    response = client.request(method, SERVICE + path, params=params, json=body)
    return {"status": response.status_code, "body": response.json()}


def carry_out(command):
    do = command.pop("do")
    if do == "login":
        return login(**command)
    if do == "whoami":
        return {"status": 200, "body": client.whoami()}
    if do == "request":
        return request(**command)
    raise ValueError("there is no command %r" % do)


def more_about(error):
    if not isinstance(error, StoreServerError):
        return {}
    return {"status": error.response.status_code, "list": repr(error.error_list)}


answer_each(carry_out, more_about)
