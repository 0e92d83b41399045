"""Exchanges an ID token with requests-oauthlib or Authlib, unmodified from PyPI, and uses the token it gets.

argv: the library, and the service's address.
"""

import os
import sys

from lines import answer_each

LIBRARY, SERVICE = sys.argv[1:]

# The service under test has no TLS.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"


def requests_oauthlib_session():
    from oauthlib.oauth2 import BackendApplicationClient
    from requests_oauthlib import OAuth2Session

    class TokenExchangeClient(BackendApplicationClient):
        """The client for this grant, for which oauthlib has no class: each of its classes is for one `grant_type`."""

        grant_type = GRANT_TYPE

    return OAuth2Session(client=TokenExchangeClient(client_id="a-job")), {"include_client_id": True}


def authlib_session():
    from authlib.integrations.requests_client import OAuth2Session

    session = OAuth2Session("a-job", token_endpoint_auth_method="none")
    return session, {"grant_type": GRANT_TYPE}


SESSIONS = {"requests-oauthlib": requests_oauthlib_session, "Authlib": authlib_session}


def exchange(command):
    session, settings = SESSIONS[LIBRARY]()
    session.fetch_token(
        SERVICE + "/api/v2/tokens/oidc",
        subject_token=command["token"],
        subject_token_type=ID_TOKEN,
        **settings,
    )
    response = session.get(SERVICE + "/api/v2/tokens/whoami")
    return {"status": response.status_code, "body": response.json()}


answer_each(exchange, lambda error: {"code": getattr(error, "error", None)})
