"""ERP installations: one as a component, one resource by resource."""

import pulumi
import pulumi_erphost as erphost

config = pulumi.Config()
release = config.get("release") or "17.0"

# A whole installation: a server, an instance on it, and a backup for every release.
shop = erphost.Installation(
    "shop",
    version=release,
    edition="community",
    server_properties={"region": "eu-central"},
    backup_triggers={"release": release},
)

# A second one on the same server; its name is made from "trial".
trial = erphost.Instance("trial", server_id=shop.server_id, version=release)

team = erphost.Team(
    "operations",
    members=[erphost.TeamMemberArgs(email="ada@example.com", role="admin")],
)

pipeline = erphost.ApiKey(
    "pipeline",
    permissions=["servers:read", "instances:*"],
    rotate_after="90d",
)

auth = erphost.get_auth()

pulumi.export("serverId", shop.server_id)
pulumi.export("trialName", trial.name)
pulumi.export("teamMembers", team.members)
pulumi.export("pipelineKey", pipeline.value)
pulumi.export("permissions", auth.permissions)
