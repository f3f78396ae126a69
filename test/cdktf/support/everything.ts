/** One program with every construct, lookup and Aspect, for whichever library the tests run on. */
import { Aspects, LocalBackend, TerraformOutput, TerraformResource } from "cdktf";
import { TerraformVariable, Testing } from "cdktf";
import { Construct } from "constructs";
import { Backup, Instance, Server, Team, ApiKey, RotatedApiKey } from "../../../cdktf-bindings";
import { SealedApiKey, BackedUpInstance, BackupSchedule } from "../../../cdktf-bindings";
import { ErpInstallation, InstanceFleet, ServerFleet, ErphostStack } from "../../../cdktf-bindings";
import { ErphostStage, MaxKeyAge, NoAdminKeys, NoWideKeys } from "../../../cdktf-bindings";
import { ProtectFromDeletion, RequireBackup, SetProperties } from "../../../cdktf-bindings";
import { deployKeyFor, l1, moveConstruct, type SecretStore } from "../../../cdktf-bindings";
import { EU, LIVE, RECIPIENT } from "./stack";

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

/** Where no engine looks. */
export const ANYTHING: Existing = {
  ...{ main: LIVE.baseUrl, eu: EU.baseUrl, recipient: RECIPIENT },
  ...{ adopted: "srv_1", made: "key_1" },
};

/** What differs between the releases of the program. */
export interface Release {
  readonly version?: string;
  readonly fleet?: readonly string[];
  /** Id of the construct that all is below. */
  readonly id?: string;
  /** That id before. */
  readonly was?: string;
  readonly isProtected?: boolean;
  readonly stage?: string;
  /** Is in an object of each kind that can be updated. */
  readonly note?: string;
}

/** All runs of one test are in one period. */
const now = new Date();

/** A store that every engine has. It prints what it is given, which only an encrypted secret allows. */
const kept: SecretStore<TerraformResource> = (scope, id, { text }) => {
  const resource = new TerraformResource(scope, id, { terraformResourceType: "terraform_data" });
  resource.addOverride("input", text);
  return resource;
};

class Company extends Construct {
  constructor(
    stack: ErphostStack,
    id: string,
    private readonly existing: Existing,
    { version = "17.0", fleet = ["a", "b", "c"], isProtected = true, note = "first" }: Release,
  ) {
    super(stack, id);
    const members = [{ email: "ada@example.com", role: note }];
    const given = { version: "17.0", members, instanceProps: { properties: { note } } };
    const production = new ErpInstallation(this, "production", given);
    const { server, instance } = production;
    new BackedUpInstance(this, "accounting", { server, version });
    const instances = ["paris", "rome"];
    new InstanceFleet(this, "shops", { instances, version, common: { server } });
    new BackupSchedule(this, "weekly", { server, every: "7d", startingAt: now.toISOString(), now });
    new Backup(this, "audit", { instance, triggers: { audit: "2026" } });
    const properties = { tags: ["x", "y"], size: 2, nested: { list: [{ a: 1 }] } };
    new ServerFleet(this, "fleet", { servers: fleet, common: { properties } });
    const plain = new Server(this, "plain", { timeouts: { create: "5m" } });
    if (isProtected) Aspects.of(plain).add(new ProtectFromDeletion());
    new Team(this, "team");
    this.declareKeys(production, note);
  }

  private declareKeys(production: Construct, note: string): void {
    const { recipient, made } = this.existing;
    const common = { ipWhitelist: ["127.0.0.1/32"], notificationEmail: `${note}@example.com` };
    const key = { ...deployKeyFor(production), rotateAfter: "30d", ...common };
    new ApiKey(this, "deploys", key).usedBy(production);
    const sealed = new SealedApiKey(this, "sealed", { permissions: ["servers:read"], recipient });
    sealed.output.overrideLogicalId("sealed");
    sealed.deliverTo("file", kept);
    new RotatedApiKey(this, "rotated", { key: ApiKey.fromApiKeyId(this, "made", made) });
  }
}

/** A stack with objects of two accounts: what is declared below a construct of one is in that one. */
function abroad(stage: ErphostStage): ErphostStack {
  const stack = new ErphostStack(stage, "abroad");
  new Server(stack, "home").addBackup("first");
  const provider = stack.account("eu");
  const server = new Server(stack, "eu-web", { provider });
  server.addInstance("eu-erp", { readyStates: ["running"] }).addBackup("first");
  new BackedUpInstance(stack, "eu-accounting", { server, version: "17.0", provider });
  const key = ApiKey.fromApiKeyName(stack, "eu-made", "dashboard", { provider });
  new RotatedApiKey(stack, "eu-rotated", { key, provider });
  return stack;
}

/** Generated constructs, whose places others take later: by their ids, or by a move. */
function declareBare(stack: ErphostStack, isTaken: boolean): void {
  const bare = (name: string) => new l1.server.Server(stack, name, { name });
  if (isTaken) new Server(stack, "early", { name: "early" });
  else bare("early");
  const old = bare("bare");
  if (isTaken) moveConstruct(old, new Server(stack, "written", { name: "bare" }));
  // A member whose name Terraform alone knows stays in its place when another one is declared above.
  const variable = (id: string) =>
    new TerraformVariable(stack, id, { type: "string", default: id }).stringValue;
  if (isTaken) new Server(stack, "above", { name: variable("later") });
  new ServerFleet(stack, "trials", { servers: [{ id: "trial", name: variable("trial") }] });
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

/** The program's stacks, the first with every Aspect on it and one account, and what a test may look at. */
export function everything(existing: Existing, release: Release = {}) {
  const { id = "production", was, stage: name = "live", note = "first" } = release;
  const stage = new ErphostStage(Testing.app(), name, {
    namePrefix: "live-",
    account: { baseUrl: existing.main, apiKeyVariable: "live_key" },
    accounts: { eu: { baseUrl: existing.eu, apiKeyVariable: "eu_key" } },
    backend: (stack) => new LocalBackend(stack, { path: "terraform.tfstate" }),
    aspects: [new SetProperties({ region: "eu-central" }, ["server"])],
  });
  const rules = [new MaxKeyAge("90d"), new NoAdminKeys(), new NoWideKeys(), new RequireBackup()];
  for (const rule of rules) Aspects.of(stage.app).add(rule);
  const stack = new ErphostStack(stage, "erp");
  declareBare(stack, id !== "production");
  const company = new Company(stack, id, existing, release);
  if (was !== undefined) moveConstruct(new Company(stack, was, existing, release), company);
  const adopted = new Server(stack, "adopted", { name: "adopted", properties: { note } });
  adopted.resource.importFrom(existing.adopted);
  for (const [found, value] of Object.entries(lookUp(new Construct(stack, "found")))) {
    new TerraformOutput(stack, `found-${found}`, { value }).overrideLogicalId(found);
  }
  return { stage, stack, abroad: abroad(stage) };
}
