import { period, periodMs, type Values } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import type { TerraformResource } from "cdktf";
import { UNKNOWN, type Kind } from "../../provider/resources";
import { sentenceOf } from "../voice";
import { Policy, type PolicyOptions } from "./policy";

/**
 * Demands that every key below is rotated in time: by `rotateAfter`, or by the service, where the key
 * says so. An age that only Terraform knows is refused as well.
 * @example
 * new ApiKey(stack, "pipeline", { permissions: ["servers:read"], rotateAfter: "30d" });
 * Aspects.of(app).add(new MaxKeyAge("90d"));
 */
export class MaxKeyAge extends Policy {
  /**
   * @param max oldest secret, in days: `90d`
   * @throws Error if that is not a number of days
   */
  constructor(
    private readonly max: string,
    options: PolicyOptions = {},
  ) {
    super("rotate_after", options);
    const issue = period.safeParse(max).error?.issues[0];
    if (issue)
      throw new Error(`MaxKeyAge: ${sentenceOf(message("stated", { text: issue.message }))}`);
  }

  /** @internal */
  protected broken(inputs: Values, _: TerraformResource, kind: Kind): readonly Message[] {
    const { max } = this;
    const isService = SWITCHES.some((name) => inputs[name] === true);
    const field = isService ? "rotation_period" : "rotate_after";
    const about = { subject: { kind: kind.name }, path: [field] };
    const given = inputs[field];
    if (given === UNKNOWN) return [message("policy_unknown", { rule: "MaxKeyAge" }, about)];
    if (typeof given !== "string") return [message("key_age", { max, given: undefined }, about)];
    // The key's own validation reports another form.
    if (!period.safeParse(given).success || periodMs(given) <= periodMs(max)) return [];
    return [message("key_age", { max, given }, about)];
  }
}

/** Inputs by which a key leaves its rotation to the service. */
const SWITCHES = ["auto_rotate", "rotation_enabled"];
