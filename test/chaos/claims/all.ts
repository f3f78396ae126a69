/** Every claim, in the order of the report. */
import { accountClaims } from "./account";
import type { Claim } from "./claim";
import { faultClaims } from "./faults";
import { killClaims } from "./kills";
import { lifecycleClaims } from "./lifecycles";
import { limitClaims } from "./limits";
import { mannerClaims } from "./manners";
import { rotationClaims } from "./rotation";
import { secretClaims } from "./secrets";
import { sequelClaims } from "./sequels";
import { writeClaims } from "./writes";

export const claims: readonly Claim[] = [
  ...faultClaims,
  ...killClaims,
  ...sequelClaims,
  ...lifecycleClaims,
  ...mannerClaims,
  ...writeClaims,
  ...accountClaims,
  ...limitClaims,
  ...rotationClaims,
  ...secretClaims,
];
