import { TerraformDataSource, TerraformElement, TerraformResource, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { message, type Message } from "../provider/messages";
import { addressOf, inputText, ownerOf, pathOf, providerOf, type Block } from "./checks/program";
import { textOf } from "./checks/references";
import { argumentsOf } from "./checks/selection";
import { kindOf } from "./kind-of";
import { sentenceOf, voice } from "./voice";

/** Where resources have been moved to: a construct's path. */
const moves = new WeakMap<Block, string>();

/** Path of the construct that has taken a resource's object over. */
export const movedTo = (block: Block): string => moves.get(block) ?? "another construct";

type Move = readonly [from: TerraformResource, to: TerraformResource];
type Lookups = readonly [from: TerraformDataSource, to: TerraformDataSource];

/**
 * Moves what `from` declares to `to`, with everything below: the plan moves the objects in the state
 * and changes nothing in the service, or synthesis fails. `from` may be a generated construct (`l1`).
 * It then declares nothing; remove it and this call once every workspace has applied the move.
 * @throws Error if a resource below `from` has no counterpart below `to`, or if their stacks differ
 * @example
 * const renamed = new Server(stack, "web", { name: "erp-web" });
 * moveConstruct(new Server(stack, "old", { name: "erp-web" }), renamed);
 */
export function moveConstruct(from: IConstruct, to: IConstruct): void {
  if (TerraformStack.of(from) !== TerraformStack.of(to)) {
    const parts = { from: from.node.path, to: to.node.path };
    throw new Error(sentenceOf(message("move_between_stacks", parts)));
  }
  const resources = new Map(resourcesBelow(to).map((each) => [pathBelow(to, each), each]));
  const sources = new Map(lookupsBelow(to).map((each) => [pathBelow(to, each), each]));
  const lookups = lookupsBelow(from).flatMap((lookup): Lookups[] => {
    const target = sources.get(pathBelow(from, lookup));
    return target?.terraformResourceType === lookup.terraformResourceType ? [[lookup, target]] : [];
  });
  const pairs = resourcesBelow(from).map((resource): Move => {
    const path = pathBelow(from, resource);
    const target = resources.get(path);
    if (target?.terraformResourceType === resource.terraformResourceType) return [resource, target];
    const type = voice.type(kindOf(resource)?.name ?? resource.terraformResourceType);
    const parts = { from: from.node.path, to: to.node.path, type, at: `${to.node.path}${path}` };
    throw new Error(sentenceOf(message("move_without_target", parts)));
  });
  for (const [resource, target] of pairs) {
    const name = `moved to ${target.node.path}`;
    target.addMoveTarget(name);
    resource.moveTo(name);
    moves.set(resource, pathOf(target));
    ownerOf(target).node.addValidation({
      validate: () =>
        changesOf([resource, target], [...pairs, ...sameOf(lookups, pairs)]).map(sentenceOf),
    });
  }
  // Outputs and data sources have no state to move, and would refer to resources that are gone.
  for (const each of from.node.findAll()) {
    if (!TerraformElement.isTerraformElement(each)) continue;
    if (!TerraformResource.isTerraformResource(each))
      each.node.scope?.node.tryRemoveChild(each.node.id);
  }
}

/** A text as it is after the moves. */
const moved = (text: string, pairs: readonly (Move | Lookups)[]): string =>
  pairs.reduce(
    (now, [one, other]) => now.replaceAll(`${addressOf(one)}.`, `${addressOf(other)}.`),
    text,
  );

/** The lookups that find the same before and after; one may select by what another has found. */
function sameOf(lookups: readonly Lookups[], pairs: readonly Move[]): readonly Lookups[] {
  const same: Lookups[] = [];
  for (const [one, other] of lookups) {
    const before = moved(textOf(one, argumentsOf(one)), [...pairs, ...same]);
    const isSame = before === textOf(other, argumentsOf(other));
    if (isSame && providerOf(one) === providerOf(other)) same.push([one, other]);
  }
  return same;
}

/** What a move renames, replaces or takes into another account; `pairs` stay the same. */
function changesOf([from, to]: Move, pairs: readonly (Move | Lookups)[]): Message[] {
  const path = pathOf(from);
  const [old, next] = [providerOf(from), providerOf(to)];
  if (old !== next) return [message("move_between_accounts", { from: path, old, next })];
  const kind = kindOf(from);
  const decisive = (kind?.inputs ?? []).filter(
    ([name, { immutable }]) =>
      name === "name" || immutable || kind?.reading.replaceOn?.includes(name),
  );
  return decisive.flatMap(([name]) => {
    const before = moved(inputText(from, name), pairs);
    const after = inputText(to, name);
    if (before === after) return [];
    const parts = { from: path, field: name, old: settingText(before), next: settingText(after) };
    return [message("move_changes", parts, { subject: { kind: kind?.name ?? "" } })];
  });
}

const settingText = (text: string): string => (text === "" ? "not set" : JSON.stringify(text));

const resourcesBelow = (construct: IConstruct): TerraformResource[] =>
  construct.node.findAll().filter((each) => TerraformResource.isTerraformResource(each));

const lookupsBelow = (construct: IConstruct): TerraformDataSource[] =>
  construct.node.findAll().filter((each) => TerraformDataSource.isTerraformDataSource(each));

/** The same for a construct and for the generated one that it may be moved from. */
const pathBelow = (scope: IConstruct, construct: IConstruct): string =>
  pathOf(construct).slice(scope.node.path.length);
