/** One program with every construct, lookup and Aspect, for whichever library the tests run on. */
import { Aspects, LocalBackend, TerraformOutput, TerraformResource, Testing } from "cdktf";
import { Construct } from "constructs";
import {
  ApiKey,
  BackedUpInstance,
  Backup,
  BackupSchedule,
  deployKeyFor,
  ErphostStack,
  ErphostStage,
  ErpInstallation,
  Instance,
  InstanceFleet,
  l1,
  MaxKeyAge,
  moveConstruct,
  NoAdminKeys,
  NoWideKeys,
  ProtectFromDeletion,
  RequireBackup,
  RotatedApiKey,
  SealedApiKey,
  Server,
  ServerFleet,
  SetProperties,
  Team,
  type SecretStore,
} from "../../../../cdktf-bindings";

/** What exists before the program runs; the other account has a key of the name `dashboard`, too. */
export interface Existing {
  /** Addresses of two accounts. */
  readonly main: string;
  readonly eu: string;
  /** Age public key. */
  readonly recipient: string;
  /** A server that the program adopts. */
  readonly adopted: string;
  /** A key that the program rotates. */
  readonly made: string;
}

/** What differs between the releases of the program. */
export interface Release {
  readonly version?: string;
  readonly fleet?: readonly string[];
  /** Id of the construct that all is below. */
  readonly id?: string;
  /** That id before. */
  readonly was?: string;
  readonly isProtected?: boolean;
}

/** All runs of one test are in one period. */
const now = new Date();

/** A store that every engine has. It prints what it is given, which only an encrypted secret allows. */
const kept: SecretStore<TerraformResource> = (scope, id, { text }) => {
  const resource = new TerraformResource(scope, id, { terraformResourceType: "terraform_data" });
  resource.addOverride("input", text);
  return resource;
};

/** Every construct that declares something. */
class Company extends Construct {
  constructor(
    private readonly stack: ErphostStack,
    id: string,
    private readonly existing: Existing,
    { version = "17.0", fleet = ["a", "b", "c"], isProtected = true }: Release,
  ) {
    super(stack, id);
    const members = [{ email: "ada@example.com", role: "admin" }];
    const production = new ErpInstallation(this, "production", { version: "17.0", members });
    const { server, instance } = production;
    new BackedUpInstance(this, "accounting", { server, version });
    const instances = ["paris", "rome"];
    new InstanceFleet(this, "shops", { instances, version, common: { server } });
    new BackupSchedule(this, "weekly", {
      ...{ server, every: "7d", startingAt: now.toISOString(), now },
    });
    new Backup(this, "audit", { instance, triggers: { audit: "2026" } });
    const nested = { list: [{ a: 1 }] };
    new ServerFleet(this, "fleet", {
      servers: fleet,
      common: { properties: { tags: ["x", "y"], size: 2, nested } },
    });
    const plain = new Server(this, "plain", { timeouts: { create: "5m" } });
    if (isProtected) Aspects.of(plain).add(new ProtectFromDeletion());
    new Team(this, "team");
    this.declareKeys(production);
    this.declareElsewhere();
  }

  private declareKeys(production: Construct): void {
    const { recipient, made } = this.existing;
    const ipWhitelist = ["127.0.0.1/32"];
    const key = { ...deployKeyFor(production), rotateAfter: "30d", ipWhitelist };
    const deploys = new ApiKey(this, "deploys", key);
    deploys.usedBy(production);
    const sealed = new SealedApiKey(this, "sealed", { permissions: ["servers:read"], recipient });
    sealed.output.overrideLogicalId("sealed");
    sealed.deliverTo("file", kept);
    const old = ApiKey.fromApiKeyId(this, "made", made);
    new RotatedApiKey(this, "rotated", { key: old });
  }

  /** What is declared below a construct of another account is in that account. */
  private declareElsewhere(): void {
    const provider = this.stack.account("eu");
    const server = new Server(this, "eu-web", { provider });
    server.addInstance("eu-erp", { readyStates: ["running"] }).addBackup("first");
    new BackedUpInstance(this, "eu-accounting", { server, version: "17.0", provider });
    const key = ApiKey.fromApiKeyName(this, "eu-made", "dashboard", { provider });
    new RotatedApiKey(this, "eu-rotated", { key, provider });
  }
}

const { DataErphostAuth } = l1.dataErphostAuth;
const { DataErphostCloudProvider } = l1.dataErphostCloudProvider;
const { DataErphostCloudProviders } = l1.dataErphostCloudProviders;
const { DataErphostInvoice } = l1.dataErphostInvoice;
const { DataErphostInvoices } = l1.dataErphostInvoices;

/** Every lookup, of what `furnish` and the test have planted. */
function lookUp(scope: Construct): Readonly<Record<string, unknown>> {
  const server = Server.fromServerId(scope, "first", "srv_1");
  const instance = Instance.fromInstanceId(scope, "erp", "ins_1");
  const { teamId } = Team.fromTeamName(scope, "team", "ops");
  const { apiKeyId } = ApiKey.fromApiKeyName(scope, "key", "dashboard");
  const failed = { name: "web", status: "failed" };
  const newest = { instance, status: "completed", mostRecent: true };
  return {
    elsewhere: Server.fromServerName(scope, "elsewhere", "erp-elsewhere").name,
    failed: Server.fromLookup(scope, "failed", failed).serverId,
    servers: Server.lookupAll(scope, "servers", { name: "web" }).ids,
    shop: Instance.fromInstanceName(scope, "shop", "shop").instanceId,
    crm: Instance.fromLookup(scope, "crm", { server, name: "crm" }).instanceId,
    instances: Instance.lookupAll(scope, "instances", { server, createdBefore: "2026-02-01" }).ids,
    backup: Backup.fromBackupId(scope, "backup", "bak_1").backupId,
    newest: Backup.fromLookup(scope, "newest", newest).backupId,
    backups: Backup.lookupAll(scope, "backups", { instance, limit: 2 }).ids,
    team: Team.fromTeamId(scope, "same-team", teamId).teamId,
    teamName: Team.fromLookup(scope, "ops", { name: "ops" }).name,
    teams: Team.lookupAll(scope, "teams", { name: "ops" }).ids,
    key: apiKeyId,
    keyName: ApiKey.fromLookup(scope, "dashboard", { name: "dashboard" }).name,
    keys: ApiKey.lookupAll(scope, "keys", { name: "dashboard" }).ids,
    auth: new DataErphostAuth(scope, "auth").authenticated,
    invoice: new DataErphostInvoice(scope, "invoice", { status: "paid" }).status,
    invoices: new DataErphostInvoices(scope, "invoices").invoices.get(0).status,
    cloud: new DataErphostCloudProvider(scope, "cloud", { name: "nimbus" }).name,
    clouds: new DataErphostCloudProviders(scope, "clouds").cloudProviders.get(0).name,
  };
}

/** The program, with every Aspect on it, and what a test may look at. */
export function everything(existing: Existing, release: Release = {}) {
  const stage = new ErphostStage(Testing.app(), "live", {
    account: { baseUrl: existing.main, apiKeyVariable: "live_key" },
    accounts: { eu: { baseUrl: existing.eu, apiKeyVariable: "eu_key" } },
    backend: (stack) => new LocalBackend(stack, { path: "terraform.tfstate" }),
    aspects: [new SetProperties({ region: "eu-central" }, ["server"])],
  });
  for (const rule of [
    new MaxKeyAge("90d"),
    new NoAdminKeys(),
    new NoWideKeys(),
    new RequireBackup(),
  ]) {
    Aspects.of(stage.app).add(rule);
  }
  const stack = new ErphostStack(stage, "erp");
  const { id = "production", was } = release;
  const company = new Company(stack, id, existing, release);
  if (was !== undefined) moveConstruct(new Company(stack, was, existing, release), company);
  new Server(stack, "adopted", { name: "adopted" }).resource.importFrom(existing.adopted);
  for (const [name, value] of Object.entries(lookUp(new Construct(stack, "found")))) {
    new TerraformOutput(stack, `found-${name}`, { value }).overrideLogicalId(name);
  }
  return { stage, stack };
}
