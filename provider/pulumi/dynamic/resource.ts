/** What every dynamic class shares: the program in its state, hidden inputs, secret outputs. */
import * as pulumi from "@pulumi/pulumi";
import { camel, DURATION_EXPECTED, durationMs } from "../../contract";
import { kinds } from "../../resources";
import { message, sentence, type Message } from "../../messages";
import { accountOf, inAccount, type ErpHostOptions } from "../accounts";
import { PACKAGE } from "../plugin/values/tokens";
import { STATE_KEY } from "../values";
import { dynamicVoice } from "../voice";
import { programOf, viaPackage } from "./found";
import { shortenTraces } from "./traces";

type Properties = Record<string, unknown>;

export abstract class ErpHostResource extends pulumi.CustomResource {
  /** @param kindName contract name: `api_key` */
  protected constructor(
    kindName: string,
    name: string,
    args: object,
    options: ErpHostOptions = {},
  ) {
    const kind = kinds[kindName];
    if (!kind) throw new Error(`there is no kind ${kindName}`);
    assertNoProvider(options);
    const option = (["import", "id"] as const).find((name) => options[name] !== undefined);
    if (option) throw refusal(message("dynamic_import", { option }));
    const fields = Object.entries(kind.fields);
    const outputs = fields.map(([field]) => [camel(field), undefined] as const);
    const secret = fields.filter(([, field]) => field.secret).map(([field]) => camel(field));
    const inputs = Object.entries(args).map(([key, value]: [string, unknown]): [string, unknown] =>
      secret.includes(key) && value !== undefined ? [key, pulumi.secret(value)] : [key, value],
    );
    const { account, ...own } = options;
    const { transformations = [] } = options;
    const type = `pulumi-nodejs:dynamic/erphost:${kind.title}`;
    const restoreTraces = shortenTraces();
    try {
      super(
        type,
        name,
        {
          ...Object.fromEntries(outputs),
          ...Object.fromEntries(inputs),
          __provider: programOf(kind.title, viaPackage()),
          __identity: urnOf(type, name, options.parent),
          ...timeoutsOf(options.customTimeouts),
          ...(options.replaceOnChanges && { __replaceOn: options.replaceOnChanges }),
        },
        {
          ...own,
          ...(account !== undefined && {
            transformations: [...inAccount(account).transformations, ...transformations],
          }),
          additionalSecretOutputs: [
            ...(options.additionalSecretOutputs ?? []),
            ...secret,
            // It may have hashes of secrets, and which inputs a program marks is not known here.
            STATE_KEY,
          ],
        },
      );
    } finally {
      restoreTraces();
    }
  }
}

/**
 * Pulumi would ask another provider for a dynamic resource, or silently leave a parent's aside and
 * work in the stack's default account.
 * @throws RunError
 */
function assertNoProvider(options: ErpHostOptions): void {
  const given: Properties = { ...options };
  const option = ["provider", "providers"].find((name) => given[name] !== undefined);
  const { account, parent } = options;
  const inherited =
    account === undefined &&
    accountOf(parent) === undefined &&
    parent?.getProvider(`${PACKAGE}:index:Server`) !== undefined;
  if (option === undefined && !inherited) return;
  throw refusal(message("explicit_provider", { option: option ?? "provider" }));
}

/** Pulumi prints it without a stack. */
const refusal = (why: Message): pulumi.RunError => new pulumi.RunError(sentence(dynamicVoice, why));

/** Members of a resource that the SDK does not type. */
interface Parent {
  readonly __pulumiType?: string;
  readonly __parentResource?: Parent;
}

/** The URN, which Pulumi does not say to a dynamic provider: the same before and after a crash. */
function urnOf(type: string, name: string, parent: pulumi.Resource | undefined): string {
  const types = [type];
  let at = parent as Parent | undefined;
  for (let depth = 0; at !== undefined && depth < DEPTH_MAX; depth += 1) {
    if (at.__pulumiType !== undefined && at.__pulumiType !== STACK) types.unshift(at.__pulumiType);
    at = at.__parentResource;
  }
  return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${types.join("$")}::${name}`;
}

/** The type of the resource that is every other one's parent, and in no URN but its own. */
const STACK = "pulumi:pulumi:Stack";
const DEPTH_MAX = 64;

function timeoutsOf(timeouts: pulumi.CustomTimeouts | undefined): Properties {
  const set = Object.entries(timeouts ?? {}).filter(([, text]) => text !== undefined);
  if (set.length === 0) return {};
  return {
    __timeouts: Object.fromEntries(
      set.map(([operation, text]) => [operation, timeoutMs(operation, text)]),
    ),
  };
}

/** @throws RunError for a timeout that is not a duration */
function timeoutMs(operation: string, text: unknown): number {
  const ms = typeof text === "string" ? durationMs(text) : undefined;
  if (ms !== undefined) return ms;
  const path = ["customTimeouts", operation];
  throw refusal(message("wrong_form", { expected: DURATION_EXPECTED }, { path }));
}
