"""Installs, changes and deletes an app with the generated client. Arguments: base address, app, environment; the token is on standard input."""

import sys
import time

from chandlery_client import AuthenticatedClient
from chandlery_client.api.instances import create_instance, delete_instance, show_instance, update_instance
from chandlery_client.models import Instance, InstanceDraft, InstanceDraftSpec, InstancePatch, InstancePatchSpec, Problem

NAME = "by-python"

base_url, app, environment = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=sys.stdin.read().strip(), raise_on_unexpected_status=True)

created = create_instance.sync_detailed(
    environment, client=client, body=InstanceDraft(app=app, name=NAME, spec=InstanceDraftSpec.from_dict({"replicas": 1}))
)
assert isinstance(created.parsed, Instance) and created.status_code == 201, created
assert created.headers["location"].endswith(f"/{app}/{NAME}")

stale = update_instance.sync(
    environment, app, NAME, client=client, body=InstancePatch(InstancePatchSpec.from_dict({"replicas": 3})), if_match='"stale"'
)
assert isinstance(stale, Problem) and stale.code.value == "PreconditionFailed", stale

for _ in range(20):
    shown = show_instance.sync_detailed(environment, app, NAME, client=client)
    assert isinstance(shown.parsed, Instance) and shown.parsed.etag == shown.headers["etag"], shown
    changed = update_instance.sync(
        environment, app, NAME, client=client, body=InstancePatch(InstancePatchSpec.from_dict({"replicas": 2})), if_match=shown.parsed.etag
    )
    if isinstance(changed, Instance):
        break
assert isinstance(changed, Instance) and changed.object_["spec"]["replicas"] == 2, changed

assert delete_instance.sync_detailed(environment, app, NAME, client=client, if_match="*").status_code == 202
for _ in range(300):
    gone = show_instance.sync(environment, app, NAME, client=client)
    if isinstance(gone, Problem):
        break
    time.sleep(0.1)
assert isinstance(gone, Problem) and gone.status == 404, gone
print("done")
