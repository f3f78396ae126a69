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
	object.get(change.after, "backup_before_upgrade", false) != true
	not backed_up(change)
	msg := sprintf("%s %s without a backup: set backup_before_upgrade to true.", [change.address, upgraded(change)])
}

upgraded(change) := "hides its version, and may be upgraded" if {
	hidden(change.after.version)
} else := sprintf("%s upgraded", [surely(change.after)]) if {
	object.get(change.before, "version", null) != object.get(change.after, "version", null)
}

surely(after) := "hides its backup_before_upgrade, and may be" if {
	hidden(after.backup_before_upgrade)
} else := "is"

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
	msg := sprintf("%s %s.", [change.address, too_old(change.before.rotated_at)])
}

too_old(rotated_at) := "hides how old its secret is" if {
	hidden(rotated_at)
} else := sprintf("has had its secret for more than %d days, and the plan does not rotate it", [key_days_max]) if {
	time.now_ns() - time.parse_rfc3339_ns(rotated_at) > (key_days_max * 86400) * 1000000000
}

deny_admin_key contains msg if {
	some change in changes
	"admin" in permissions(change)
	msg := sprintf("%s is a key with the level admin.", [change.address])
}

deny_admin_key contains msg if some msg in hiding

deny_wildcard_scope contains msg if {
	some change in changes
	wide := [scope | some scope in permissions(change); endswith(scope, ":*")]
	count(wide) > 0
	msg := sprintf("%s is a key with %s: name each scope.", [change.address, concat(", ", wide)])
}

deny_wildcard_scope contains msg if some msg in hiding

hiding contains msg if {
	some change in changes
	not change.does in {"delete", "forget"}
	hidden(change.after.permissions)
	msg := sprintf("%s hides what it may do: its permissions must not be sensitive.", [change.address])
}

# Nobody can judge it; Pulumi's word for a secret.
hidden(value) if contains(json.marshal(value), `"[secret]"`)

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
	some member in {"steps", "changeSummary"}
	object.get(input, member, null) != null
	every diagnostic in object.get(input, "diagnostics", []) {
		object.get(diagnostic, "severity", "") != "error"
	}
}

# What a key may do once the plan is applied.
permissions(change) := {scope |
	not change.does in {"delete", "forget"}
	some scope in object.get(change.after, "permissions", [])
	is_string(scope)
}

default protected(_, _) := false

protected(state, _) if state.protect == true

protected(_, values) if values.deletion_protection in {true, "[secret]"}

# Terraform and OpenTofu

changes contains change if {
	some resource in input.resource_changes
	object.get(resource, "mode", "managed") == "managed"
	startswith(resource.type, "erphost_")
	endswith(object.get(resource, "provider_name", "erphost/erphost"), "erphost/erphost")
	actions := {action | some action in resource.change.actions}
	before := terraform_values(resource.change, "before")
	change := {
		"address": resource.address,
		"kind": trim_prefix(resource.type, "erphost_"),
		"does": terraform_does(actions),
		"destroys": "delete" in actions,
		"protected": protected({}, before),
		"rotates": rotates_terraform(resource.change),
		"before": before,
		"after": terraform_values(resource.change, "after"),
	}
}

terraform_values(change, side) := object.union(values, {name: "[secret]" |
	some name, mark in members(object.get(change, sprintf("%s_sensitive", [side]), null))
	contains(json.marshal(mark), "true")
	object.get(values, name, null) != null
}) if {
	values := members(object.get(change, side, null))
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
	some [urn, left] in {[step.urn, step.left] | some step in pulumi_steps}
	not only_refreshes
	kind := pulumi_kind(urn)
	steps := [step | some step in pulumi_steps; step.urn == urn; step.left == left]
	ops := {step.op | some step in steps}
	old := first("oldState", steps)
	next := first("newState", [step | some step in steps; not startswith(step.op, "delete")])
	before := pulumi_values(old)
	change := {
		"address": concat("::", array.slice(split(urn, "::"), 3, 100)),
		"kind": kind,
		"does": pulumi_does(ops),
		"destroys": pulumi_destroys(ops, old),
		"protected": protected(old, before),
		"rotates": pulumi_rotates(old, next),
		"before": before,
		"after": pulumi_values(next),
	}
}

# Of the first step that has one.
first(side, steps) := array.concat([step[side] | some step in steps; is_object(step[side])], [{}])[0]

# By themselves those of what an earlier replacement could not delete, and this apply deletes: with
# --refresh nothing says so but the mark.
pulumi_steps := array.concat(
	[object.union(step, {"left": null}) | some step in input.steps; step.op != "refresh"; not is_left(step)],
	[object.union(step, {"left": step.oldState, "op": "delete-replaced"}) | some step in input.steps; is_left(step)],
)

# Pulumi marks what this very plan replaces as well.
is_left(step) if {
	step.oldState.delete == true
	step.op in {"refresh", "delete-replaced"}
	replaced := {[one.urn, one.oldState.id] | some one in input.steps; one.op == "replace"}
	not [step.op, [step.urn, step.oldState.id]] in [["delete-replaced", one] | some one in replaced]
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
