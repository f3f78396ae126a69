# A whole installation: two servers, the ERP and a trial of it, a backup per release, the team, and a
# key that rotates by itself. `npm run build:terraform` makes the provider; docs/guides/first-steps.md says how it is run.

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

variable "key_epoch" {
  description = "Another value rotates the pipeline's key."
  type        = string
  default     = "1"
}

variable "pipeline_network" {
  description = "From where the pipeline's key may be used."
  type        = string
  default     = "203.0.113.0/24"
}

variable "protect" {
  description = "Whether anything may destroy the ERP."
  type        = bool
  default     = false
}

variable "erp_server" {
  description = "Server of the ERP, production or staging; changing it forces replacement."
  type        = string
  default     = "production"
}

resource "erphost_server" "production" {
  name              = "erp-production"
  idempotency_token = "production of ${terraform.workspace}"
  properties        = { region = "eu-central" }
}

resource "erphost_server" "staging" {
  name              = "erp-staging"
  idempotency_token = "staging of ${terraform.workspace}"
}

resource "erphost_instance" "erp" {
  name                  = "erp"
  server_id             = var.erp_server == "staging" ? erphost_server.staging.id : erphost_server.production.id
  version               = var.release
  edition               = "community"
  backup_before_upgrade = true
  deletion_protection   = var.protect

  timeouts {
    create = "30m"
  }
}

resource "erphost_instance" "trial" {
  name      = "erp-trial"
  server_id = erphost_server.staging.id
  version   = var.release
  edition   = "community"
}

resource "erphost_backup" "release" {
  instance_id = erphost_instance.erp.id
  triggers    = { release = var.release }
}

resource "erphost_team" "operations" {
  name = "operations"
  members = [
    { email = "ada@example.com", role = "admin" },
    { email = "grace@example.com", role = "member" },
  ]
}

resource "erphost_api_key" "pipeline" {
  name         = "pipeline"
  permissions  = ["servers:read", "instances:*"]
  ip_whitelist = [var.pipeline_network]
  rotate_after = "90d"
  triggers     = { epoch = var.key_epoch }
}

data "erphost_servers" "running" {
  status     = "running"
  depends_on = [erphost_server.production, erphost_server.staging]
}

output "servers" {
  value = [erphost_server.production.id, erphost_server.staging.id]
}

output "running" {
  value = [for server in data.erphost_servers.running.servers : server.name]
}

output "rotation_days" {
  value = provider::erphost::parse_period(erphost_api_key.pipeline.rotate_after).count
}

output "pipeline_key_id" {
  value = erphost_api_key.pipeline.current_key_id
}

output "pipeline_key" {
  value     = erphost_api_key.pipeline.value
  sensitive = true
}
