"""What a JSON Schema cannot say of a request: what it refers to is there, a time is not past, a
key of idempotency is new, and an address is there once. Nothing that the schema says is touched."""

from itertools import count

import schemathesis

NUMBERS = count()
KEY_LENGTH_MAX = 240
SEEDED = {"server_id": "srv_seeded", "instance_id": "ins_seeded"}


def refer(body):
    for name, seeded in SEEDED.items():
        if isinstance(body.get(name), str) and body[name]:
            body[name] = seeded
    end = body.get("expires_at")
    if isinstance(end, str) and end[:4].isdigit():
        body["expires_at"] = "2096" + end[4:]
    members = body.get("members")
    if isinstance(members, list) and all(isinstance(each, dict) for each in members):
        by_address = {str(each.get("email")): each for each in members}
        body["members"] = list(by_address.values())


@schemathesis.hook
def before_call(context, case, kwargs):
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and 0 < len(key) < KEY_LENGTH_MAX:
        case.headers["Idempotency-Key"] = f"{key}-{next(NUMBERS)}"
    if isinstance(case.body, dict):
        refer(case.body)
    # What is referred to stays.
    if case.method == "DELETE" and case.path_parameters.get("id") in SEEDED.values():
        case.path_parameters["id"] = "nobody"
