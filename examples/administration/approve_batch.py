"""Approves the pending devices of one batch, and no other devices, by a job of the service. It uses the client that
openapi-python-client generates from the OpenAPI document of the management API:

    pip install openapi-python-client
    openapi-python-client generate --meta none --output-path ratafia_management \\
      --url https://store.example.org/api/management/v1/openapi.json

    export RATAFIA_URL=https://store.example.org RATAFIA_TOKEN_FILE=token
    python approve_batch.py acme/acme-pi batch.csv

The generator warns that it leaves out two media types. They are for files, which this program does not send.

The token file has a management token of an account with the role device-approver for the brand (docs/administration.md,
"Programs"). batch.csv has a serial number on each line, under the header "serial". You can run the program again:
approved devices stay approved.

Exit codes: 0 all pending devices of the batch are approved; 1 some are not, and standard error names them; 2 the
arguments, the login or the permissions are wrong.
"""

import csv
import os
import sys
import uuid

import httpx
from ratafia_management import AuthenticatedClient
from ratafia_management.api.devices import devices
from ratafia_management.api.jobs import job, job_items, make_job
from ratafia_management.models import (
    DevicesStatusItem,
    ErrorBody,
    Job,
    JobItemsOutcome,
    JobKind,
    JobState,
    NewJob,
)
from ratafia_management.types import UNSET

# The most devices that a request can name.
AT_ONCE = 1000
# The seconds that a request waits for the end of a job.
WAIT = 30


class Refused(Exception):
    """A refusal, with the service's message."""


def ok(response):
    """Returns the content of a success in its generated type, or raises Refused."""
    if isinstance(response.parsed, ErrorBody):
        raise Refused("; ".join(item.message for item in response.parsed.error_list))
    if response.parsed is None:
        raise Refused("the service answered with status %d" % response.status_code)
    return response.parsed


def waiting(client, model):
    """Yields the pending devices, page by page."""
    cursor = UNSET
    while cursor is not None:
        wanted = {"status": [DevicesStatusItem.PENDING], "model": [model], "limit": AT_ONCE}
        page = ok(devices.sync_detailed(client=client, cursor=cursor, **wanted))
        yield from page.devices
        cursor = page.next_


def approve(client, ids):
    """Runs a job and returns it when it has ended.

    If the answer to the first request is lost, the second one has the same key, so the service does nothing twice.
    """
    body = NewJob(kind=JobKind.DEVICES_APPROVE, ids=ids)
    key = str(uuid.uuid4())
    for last in (False, True):
        try:
            made = ok(make_job.sync_detailed(client=client, body=body, idempotency_key=key))
            break
        except httpx.TransportError:
            if last:
                raise
    while made.state in (JobState.QUEUED, JobState.RUNNING):
        made = ok(job.sync_detailed(made.id, client=client, wait=WAIT))
    return made


def refused_items(client, made: Job):
    cursor = UNSET
    while cursor is not None:
        wanted = {"outcome": JobItemsOutcome.REFUSED, "limit": AT_ONCE}
        page = ok(job_items.sync_detailed(made.id, client=client, cursor=cursor, **wanted))
        yield from page.items
        cursor = page.next_


def main(model, batch):
    with open(os.environ["RATAFIA_TOKEN_FILE"], encoding="ascii") as file:
        token = file.read().strip()
    with open(batch, newline="", encoding="utf-8") as file:
        serials = {row["serial"] for row in csv.DictReader(file)}
    client = AuthenticatedClient(
        base_url=os.environ["RATAFIA_URL"],
        token=token,
        prefix="Macaroon",
        timeout=WAIT + 30,
    )
    names = {one.id: one.serial for one in waiting(client, model) if one.serial in serials}
    ids = list(names)
    failed = False
    for start in range(0, len(ids), AT_ONCE):
        made = approve(client, ids[start : start + AT_ONCE])
        print("job %s: %s, %d approved" % (made.id, made.state, made.done + made.unchanged))
        for item in refused_items(client, made):
            print("%s/%s: %s" % (model, names[item.subject], item.message), file=sys.stderr)
        failed = failed or made.state != JobState.DONE or made.refused > 0
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: approve_batch.py BRAND/MODEL BATCH.csv")
    try:
        sys.exit(main(*sys.argv[1:]))
    except (Refused, KeyError, OSError, httpx.TransportError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
