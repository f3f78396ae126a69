import { isAbsolute } from "node:path";
import { Token } from "cdktf";
import type { Construct } from "constructs";
import { isRecord, parseApiKey, type Environment, type Values } from "../provider/contract";
import { message, type Message } from "../provider/messages";
import { isLoopback, issuesOfGiven, misspelledNames, settings } from "../provider/settings";
import type { ValuesOf } from "../provider/settings";
import { accountOf } from "./checks/account";
import { isKnownLater } from "./checks/block";
import { watchStackOf } from "./checks/watch";
import {
  ErphostProvider as ProviderBlock,
  type ErphostProviderConfig as BlockConfig,
} from "./generated/provider";
import { emptyForNull } from "./hcl";
import { sentenceOf } from "./voice";

/**
 * Settings of the provider; what is left out comes from the environment, such as ERPHOST_API_KEY. A
 * block with an `alias` and a `baseUrl` has to have an `apiKey`, which must not turn out to be null:
 * the environment's key is not for its address.
 */
export interface ErphostProviderConfig extends Omit<
  BlockConfig,
  "environment" | "preflight" | "sameName"
> {
  /** Kind of key that is expected. A key of the other kind is refused before any call. */
  readonly environment?: Environment;
  /** What a create does where an unmanaged object already has the same name; default: `warn`. */
  readonly sameName?: Choice<"sameName">;
  /**
   * What a plan does where its key may not do what is planned; default: `warn`. `off` asks nothing:
   * for plans with a key that may only read.
   */
  readonly preflight?: Choice<"preflight">;
}

type Choice<K extends "preflight" | "sameName"> = NonNullable<ValuesOf<typeof settings>[K]>;

/** What engines can call a provider block. */
const NAME = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u;

/**
 * An account of the service. For a second account, give this an `alias` and pass it to constructs as
 * their `provider`; what is declared below them is then in that account as well.
 * @example
 * const key = new TerraformVariable(stack, "second_key", { type: "string", sensitive: true });
 * const second = new ErphostProvider(stack, "second", {
 *   alias: "second",
 *   baseUrl: "https://second.example/v1",
 *   apiKey: key.stringValue,
 * });
 * const server = new Server(stack, "web", { provider: second });
 * server.addInstance("erp");
 */
export class ErphostProvider extends ProviderBlock {
  constructor(scope: Construct, id: string, config: ErphostProviderConfig = {}) {
    super(scope, id, config);
    const misspelled = misspelledNames(config, [...Object.keys(settings), "alias"]);
    watchStackOf(this);
    this.node.addValidation({
      validate: () => [...misspelled, ...this.faults(), ...this.keyOfAnother()].map(sentenceOf),
    });
  }

  override toTerraform(): unknown {
    return this.withoutNull(super.toTerraform());
  }

  override toHclTerraform(): unknown {
    return this.withoutNull(super.toHclTerraform());
  }

  /** Whether the key of the environment, which is for one address, must not be used by this block. */
  protected mustHaveKey(hasAddress: boolean): boolean {
    return hasAddress && this.alias !== undefined;
  }

  /** The provider refuses an empty key, and takes that of the environment where it is null. */
  private withoutNull(written: unknown): unknown {
    if (!this.mustHaveKey(accountOf(this).address !== "")) return written;
    // Every provider block is rendered as this.
    const { provider } = written as { provider: { erphost: readonly [Record<string, unknown>] } };
    const [block] = provider.erphost;
    const { api_key: key } = block;
    const isHcl = isRecord(key) && !Token.isUnresolved(key);
    if (isHcl) block["api_key"] = { ...key, value: emptyForNull(key["value"]) };
    else if (key !== undefined) block["api_key"] = emptyForNull(key);
    return written;
  }

  private keyOfAnother(): Message[] {
    const { address, key } = accountOf(this);
    const hasAddress = address !== "";
    if (key !== "" || !this.mustHaveKey(hasAddress)) return [];
    return [message("key_of_another_account", { hasAddress }, { path: ["apiKey"] })];
  }

  /** What is wrong with the settings that are known; otherwise only the plan would notice. */
  private faults(): readonly Message[] {
    const { alias } = this;
    if (alias !== undefined && !NAME.test(alias)) return [message("bad_alias", { alias })];
    const known = Object.keys(settings)
      .map((name): [string, unknown] => [name, Reflect.get(this, `${name}Input`)])
      .filter(([, value]) => !isUnknown(value));
    const values = Object.fromEntries(known);
    const issues = issuesOfGiven(settings, values);
    if (issues.length > 0) return issues;
    const { intentsDir: folder } = values;
    const isRelative = typeof folder === "string" && folder !== "" && !isAbsolute(folder);
    return isRelative
      ? [message("relative_folder", {}, { path: ["intentsDir"] })]
      : unencrypted(values);
  }
}

/** The provider refuses the same before any call; a proxy of the environment only it knows. */
function unencrypted({ apiKey, baseUrl }: Values): readonly Message[] {
  const kind = parseApiKey(String(apiKey))?.environment;
  const url = String(baseUrl);
  if (kind === undefined || !url.startsWith("http:") || isLoopback(new URL(url).hostname))
    return [];
  // A variable may allow it for other keys.
  return kind === "live" ? [message("live_key_over_http", {}, { path: ["baseUrl"] })] : [];
}

const isUnknown = (value: unknown): boolean =>
  isKnownLater(value) || (Array.isArray(value) && value.some(isKnownLater));
