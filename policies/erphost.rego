# METADATA
# title: Rules about plans of erphost's objects
# description: >-
#   The rules of `erphost/policies`, for Conftest, over what `terraform show -json`,
#   `tofu show -json` and `pulumi preview --show-sames --json` print. A rule is left out with an
#   exception of Conftest's, by its name: `deny_old_key`.
package main

# Oldest secret of a key, in days; `--data` sets it: {"erphost": {"key_days_max": 30}}.
default key_days_max := 90

key_days_max := data.erphost.key_days_max if is_number(data.erphost.key_days_max)

deny_protected_destroyed contains msg if {
	some change in changes
	change.protected
	change.destroys
	msg := sprintf("%s is protected, and the plan deletes or replaces it.", [change.address])
}

deny_backup_before_upgrade contains msg if {
	some change in changes
	change.kind == "instance"
	change.does == "update"
	object.get(change.before, "version", null) != object.get(change.after, "version", null)
	object.get(change.after, "backup_before_upgrade", false) != true
	not backed_up(change)
	msg := sprintf("%s is upgraded without a backup: set backup_before_upgrade to true.", [change.address])
}

# Terraform's action that takes a backup of this very instance before its update.
backed_up(change) if {
	some action in object.get(input, "action_invocations", [])
	action.type == "erphost_backup"
	action.lifecycle_action_trigger.triggering_resource_address == change.address
	action.lifecycle_action_trigger.action_trigger_event == "BeforeUpdate"
	some [option, field] in [["instance", "name"], ["instance_id", "id"]]
	is_string(action.config_values[option])
	action.config_values[option] == change.before[field]
}

deny_old_key contains msg if {
	some change in changes
	change.does in {"none", "update"}
	not change.rotates
	rotated_at := time.parse_rfc3339_ns(change.before.rotated_at)
	time.now_ns() - rotated_at > (key_days_max * 86400) * 1000000000
	msg := sprintf(
		"%s has had its secret for more than %d days, and the plan does not rotate it.",
		[change.address, key_days_max],
	)
}

deny_admin_key contains msg if {
	some change in changes
	"admin" in permissions(change)
	msg := sprintf("%s is a key with the level admin.", [change.address])
}

# Pulumi shows no secrets, so that nobody could judge them.
deny_admin_key contains msg if {
	some change in changes
	contains(json.marshal(object.get(change.after, "permissions", [])), `"[secret]"`)
	msg := sprintf("%s hides what it may do: its permissions must not be sensitive.", [change.address])
}

deny_wildcard_scope contains msg if {
	some change in changes
	wide := [scope | some scope in permissions(change); endswith(scope, ":*")]
	count(wide) > 0
	msg := sprintf("%s is a key with %s: name each scope.", [change.address, concat(", ", wide)])
}

# A file that is not a finished plan says nothing about the rules: it is refused as well.
deny_unreadable contains msg if {
	not is_plan
	msg := "This is not a plan in JSON, or its engine could not finish it."
}

is_plan if {
	input.format_version
	some member in {"resource_changes", "resource_drift", "planned_values"}
	object.get(input, member, null) != null
	object.get(input, "errored", false) != true
	regex.match(`^[01]\.`, input.format_version)
}

is_plan if {
	object.get(input, "steps", null) != null
	every diagnostic in object.get(input, "diagnostics", []) {
		object.get(diagnostic, "severity", "") != "error"
	}
}

is_plan if {
	object.get(input, "changeSummary", null) != null
	object.get(input, "steps", null) == null
}

# What a key may do once the plan is applied.
permissions(change) := {scope |
	not change.does in {"delete", "forget"}
	some scope in object.get(change.after, "permissions", [])
	is_string(scope)
}

# Terraform and OpenTofu

changes contains change if {
	some resource in input.resource_changes
	object.get(resource, "mode", "managed") == "managed"
	startswith(resource.type, "erphost_")
	endswith(object.get(resource, "provider_name", "erphost/erphost"), "erphost/erphost")
	actions := {action | some action in resource.change.actions}
	before := members(object.get(resource.change, "before", null))
	change := {
		"address": resource.address,
		"kind": trim_prefix(resource.type, "erphost_"),
		"does": terraform_does(actions),
		"destroys": "delete" in actions,
		"protected": object.get(before, "deletion_protection", false) == true,
		"rotates": rotates_terraform(resource.change),
		"before": before,
		"after": members(object.get(resource.change, "after", null)),
	}
}

terraform_does(actions) := "replace" if {
	"create" in actions
	count(actions) > 1
} else := "delete" if {
	"delete" in actions
} else := "forget" if {
	"forget" in actions
} else := "create" if {
	"create" in actions
} else := "update" if {
	"update" in actions
} else := "none"

# A new secret is unknown until the apply.
default rotates_terraform(_) := false

rotates_terraform(change) if change.after_unknown.current_key_id == true

# Pulumi: the plugin and dynamic resources

changes contains change if {
	some urn in {step.urn | some step in input.steps; step.op != "refresh"}
	not only_refreshes
	kind := pulumi_kind(urn)
	steps := [step | some step in input.steps; step.urn == urn; step.op != "refresh"]
	ops := {step.op | some step in steps}
	old := members(object.get(steps[0], "oldState", null))
	next := members(object.get(steps[0], "newState", null))
	before := pulumi_values(old)
	change := {
		"address": concat("::", array.slice(split(urn, "::"), 3, 100)),
		"kind": kind,
		"does": pulumi_does(ops),
		"destroys": pulumi_destroys(ops, old),
		"protected": pulumi_protected(old, before),
		"rotates": pulumi_rotates(old, next),
		"before": before,
		"after": pulumi_values(next),
	}
}

# `pulumi refresh --preview-only`: its updates and deletes are what it found.
only_refreshes if {
	stacks := [step | some step in input.steps; contains(step.urn, "::pulumi:pulumi:Stack::")]
	count(stacks) > 0
	every step in stacks { step.op == "refresh" }
}

pulumi_kind(urn) := kind if {
	types := split(split(urn, "::")[2], "$")
	found := regex.find_all_string_submatch_n(
		`^(?:erphost:index(?:/\w+)?|pulumi-nodejs:dynamic/erphost):(\w+)$`,
		types[count(types) - 1], 1,
	)
	kind := snake(found[0][1])
}

snake(name) := trim_prefix(lower(regex.replace(name, `([A-Z])`, "_$1")), "_")

pulumi_does(ops) := "replace" if {
	some op in {"replace", "create-replacement", "import-replacement"}
	op in ops
} else := "create" if {
	"create" in ops
} else := "delete" if {
	some op in {"delete", "delete-replaced"}
	op in ops
} else := "forget" if {
	some op in {"discard", "discard-replaced"}
	op in ops
} else := "update" if {
	"update" in ops
} else := "none"

default pulumi_destroys(_, _) := false

pulumi_destroys(ops, old) if {
	pulumi_does(ops) in {"replace", "delete"}
	object.get(old, "retainOnDelete", false) != true
}

default pulumi_protected(_, _) := false

pulumi_protected(old, _) if old.protect == true

pulumi_protected(_, before) if before.deletion_protection in {true, "[secret]"}

default pulumi_rotates(_, _) := false

pulumi_rotates(old, _) if old.outputs.rotationDue == true

pulumi_rotates(old, next) if {
	some name in {"triggers", "recipient"}
	object.get(old.inputs, name, null) != object.get(next.inputs, name, null)
}

# By the names of the contract; inputs are what the program wants, and results stay.
pulumi_values(state) := {snake(name): value |
	some name, value in object.union(
		members(object.get(state, "outputs", null)),
		members(object.get(state, "inputs", null)),
	)
}

members(value) := value if is_object(value)

members(value) := {} if not is_object(value)
