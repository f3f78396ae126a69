/** What is wrong between the constructs of a stack, which none of them can see alone. */
import type { TerraformStack } from "cdktf";
import { message, type Message } from "../../provider/messages";
import { ErphostProvider as ProviderBlock } from "../generated/provider";
import { sameKey } from "../keys/same-key";
import { movedTo } from "../move";
import { sentenceOf } from "../voice";
import { faultsOfApp } from "./app";
import { otherAccounts } from "./other-accounts";
import { addressOf, hasMoved, inputText, nameOf, pathOf, readProgram } from "./program";
import type { Declaration, Program } from "./program";
import { addressesIn, textOf } from "./references";
import { forget, once } from "../synthesis";

/** Everything that is wrong, in sentences that name the constructs and the remedy. */
export function faultsOfStack(stack: TerraformStack): string[] {
  forget(stack);
  const program = once(stack, readProgram);
  return [
    ...faultsOfApp(program),
    ...sameProvider(program),
    ...sameAddress(program),
    ...otherAccounts(program),
    ...sameKey(program),
    ...sameIdentity(program),
    ...referencesToMoved(program),
  ].map(sentenceOf);
}

/** The engine takes one provider block of each name. */
const sameProvider = ({ elements }: Program): Message[] =>
  alike(
    elements.filter((each) => each instanceof ProviderBlock),
    nameOf,
  ).map((blocks) =>
    message("two_provider_blocks", { paths: blocks.map(pathOf), alias: blocks[0]?.alias }),
  );

/** The library would make one block of two with the same address. */
const sameAddress = ({ blocks }: Program): Message[] =>
  alike(
    blocks.filter((block) => !hasMoved(block)),
    addressOf,
  ).map((blocks) => message("same_address", { paths: blocks.map(pathOf) }));

/** After an interrupted run, the next one finds objects by their tokens. */
const sameIdentity = ({ declarations }: Program): Message[] =>
  alike(declarations, tokenOf).map((each) =>
    message("same_identity", { paths: each.map(({ resource }) => pathOf(resource)) }),
  );

/** Empty where there is none, or one for each of several objects. */
function tokenOf({ resource }: Declaration): string {
  const token = inputText(resource, "idempotency_token");
  return /\b(?:count|each)\./.test(token) ? "" : token;
}

/** What still refers to a construct that declares nothing any more is refused by Terraform. */
function referencesToMoved({ elements, blocks }: Program): Message[] {
  const moved = new Map(blocks.filter(hasMoved).map((block) => [addressOf(block), block]));
  if (moved.size === 0) return [];
  return elements.flatMap((element) => {
    const { moved: _, ...written } = element.toTerraform() as Record<string, unknown>;
    const from = addressesIn(textOf(element, written)).flatMap((each) => moved.get(each) ?? []);
    return [...new Set(from)].map((block) =>
      message("refers_to_moved", {
        path: pathOf(element),
        from: pathOf(block),
        to: movedTo(block),
      }),
    );
  });
}

/** Groups of more than one with the same key; an empty key does not count. */
const alike = <T>(items: readonly T[], keyOf: (item: T) => string): T[][] =>
  [...Map.groupBy(items, keyOf)]
    .filter(([key, group]) => key !== "" && group.length > 1)
    .map(([, group]) => group);
