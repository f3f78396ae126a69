/** `docs/reference/contract.md`: the service's contract as this project understands it, and what it assumes. */
import { assumed } from "./assumed";
import { header, page } from "../markdown";
import { profileReference } from "./profile";
import { resourceSections } from "./resources";
import {
  callSections,
  errorSection,
  eventSection,
  keySection,
  limitSection,
  serviceSection,
} from "./rules";
import type { Generated } from "../files";

export const contractDocs = (): Generated => ({
  "docs/reference/contract.md": page(
    header("provider/contract/"),
    "# The service's contract",
    "What the service says, and what this project assumes where the service says nothing. Everything here comes from `provider/contract/`, from which the client, the engine, the faces and the emulator are derived as well. **Documented** is what the service's own documentation says; **assumed** is ours. The last two sections list all assumptions, each with the member of a [contract profile](#contract-profiles) that changes it.",
    serviceSection(),
    ...callSections(),
    keySection(),
    "## Resources",
    ...resourceSections(),
    errorSection(),
    limitSection(),
    eventSection(),
    assumed(),
    profileReference(),
  ),
});
