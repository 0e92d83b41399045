"""Drives the service with craft-store's UbuntuOneLogin, PublisherGateway and their authentication methods, unmodified
from PyPI.

argv: the service's address. STORE_TOKEN is a token for authentication without a login.
"""

import json
import os
import sys

from craft_store import Auth, CandidAuth, DeveloperTokenAuth, PublisherGateway, UbuntuOneAuth, creds
from craft_store.login import UbuntuOneLogin

from lines import answer_each
from recorded_requests import RecordedRequests

SERVICE = sys.argv[1]

requests = RecordedRequests()
store_auth = Auth(application_name="interop", host="interop", ephemeral=True)


def holding(text):
    store_auth.set_credentials(text, force=True)
    return store_auth


def authentications(token):
    """Returns the methods by which the gateway's client can send a token."""
    return {
        "DeveloperTokenAuth, bearer": lambda: DeveloperTokenAuth(
            auth=holding(json.dumps({"macaroon": token}))
        ),
        "DeveloperTokenAuth, macaroon": lambda: DeveloperTokenAuth(
            auth=holding(json.dumps({"macaroon": token})), auth_type="macaroon"
        ),
        "CandidAuth": lambda: CandidAuth(auth=holding(creds.marshal_candid_credentials(token))),
        "an Auth of craft-store": lambda: holding(token),
    }


ubuntu_one = UbuntuOneAuth(auth=store_auth, api_base_url=SERVICE, client_description="gateway client")
gateway = PublisherGateway(base_url=SERVICE, namespace="charm", auth=ubuntu_one)


def carry_out(command):
    do = command.pop("do")
    answer = {}
    if do == "login":
        UbuntuOneLogin.login_with(
            base_url=SERVICE,
            login_url=SERVICE,
            application_name="interop",
            store_auth=store_auth,
            **command,
        )
    elif do == "whoami":
        answer = {"status": 200, "body": gateway.whoami(), "token": store_auth.get_credentials()}
    elif do == "whoami with":
        auth = authentications(os.environ["STORE_TOKEN"])[command["way"]]()
        answer = {"status": 200, "body": PublisherGateway(SERVICE, "charm", auth).whoami()}
    else:
        raise ValueError("there is no command %r" % do)
    return {**answer, "requests": requests.take()}


def more_about(error):
    code = getattr(error, "error_code", None)
    return {"requests": requests.take(), **({"code": code} if code else {})}


answer_each(carry_out, more_about)
