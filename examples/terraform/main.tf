# A whole installation: a server, the ERP on it, a backup per release, the team, and a key that
# rotates by itself. `npm run build:terraform` makes the provider; README.md says how it is run.

terraform {
  required_providers {
    erphost = {
      source = "erphost/erphost"
    }
  }
}

# The key and the address come from ERPHOST_API_KEY and ERPHOST_BASE_URL.
provider "erphost" {}

variable "release" {
  description = "Release of the ERP; a new one takes a backup first."
  type        = string
  default     = "17.0"
}

resource "erphost_server" "production" {
  name              = "erp-production"
  idempotency_token = "production of ${terraform.workspace}"
  properties        = { region = "eu-central", size = "large" }
}

resource "erphost_instance" "erp" {
  name                  = "erp"
  server_id             = erphost_server.production.id
  version               = var.release
  edition               = "community"
  backup_before_upgrade = true

  timeouts {
    create = "30m"
  }
}

resource "erphost_backup" "release" {
  instance_id = erphost_instance.erp.id
  triggers    = { release = var.release }
}

resource "erphost_team" "operations" {
  name = "operations"
  members = [
    { email = "ada@example.com", role = "admin" },
    { email = "bob@example.com" },
  ]
}

resource "erphost_api_key" "pipeline" {
  name         = "pipeline"
  permissions  = ["servers:read", "instances:*"]
  grace_period = "7d"
  rotate_after = "90d"
}

data "erphost_servers" "running" {
  status     = "running"
  depends_on = [erphost_server.production]
}

output "server" {
  value = erphost_server.production.id
}

output "running" {
  value = [for server in data.erphost_servers.running.servers : server.name]
}

output "rotation_days" {
  value = provider::erphost::parse_period(erphost_api_key.pipeline.rotate_after).count
}

output "pipeline_key" {
  value     = erphost_api_key.pipeline.value
  sensitive = true
}
