/** What a stack declares of this provider, and how its parts refer to each other. */
import { TerraformDataSource, TerraformElement, TerraformResource } from "cdktf";
import type { TerraformProvider, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { camel, isRecord } from "../../provider/contract";
import type { Kind } from "../../provider/resources";
import { Existing } from "../constructs/existing";
import { kindOf } from "../kind-of";
import { addressesIn, textOf } from "./references";

export type Block = TerraformResource | TerraformDataSource;

/** One of this provider's resources. */
export interface Declaration {
  readonly resource: TerraformResource;
  readonly kind: Kind;
}

/** A stack as it is when its validations run. */
export interface Program {
  readonly stack: TerraformStack;
  /** Everything that ends up in the configuration. */
  readonly elements: readonly TerraformElement[];
  /** This provider's resources that have not been moved away. */
  readonly declarations: readonly Declaration[];
  /** This provider's resources and data sources. */
  readonly blocks: readonly Block[];
  readonly byAddress: ReadonlyMap<string, Block>;
  /** References to existing objects by their ids. */
  readonly existing: readonly Existing[];
}

/** Reads a stack, without the stacks in it. */
export function readProgram(stack: TerraformStack): Program {
  const all = stack.node.findAll();
  const elements = all
    .filter((each) => TerraformElement.isTerraformElement(each))
    .filter((each) => each.cdktfStack === stack);
  const blocks = elements.filter(isOurs);
  return {
    stack,
    elements,
    declarations: blocks.flatMap((resource) => {
      if (!TerraformResource.isTerraformResource(resource) || hasMoved(resource)) return [];
      const kind = kindOf(resource);
      return kind === undefined ? [] : [{ resource, kind }];
    }),
    blocks,
    byAddress: new Map(blocks.map((block) => [addressOf(block), block])),
    existing: all.filter((each) => each instanceof Existing),
  };
}

/** Whether it is one of this provider's resources or data sources. */
export const isOurs = (element: TerraformElement): element is Block =>
  (TerraformResource.isTerraformResource(element) ||
    TerraformDataSource.isTerraformDataSource(element)) &&
  element.terraformResourceType.startsWith("erphost_");

/** Whether another construct has taken its object over. */
export const hasMoved = (block: Block): boolean => Reflect.get(block, "_hasMoved") === true;

/** Its address in Terraform. */
export const addressOf = (block: Block): string =>
  `${TerraformResource.isTerraformResource(block) ? "" : "data."}${block.terraformResourceType}.${block.friendlyUniqueId}`;

/** The construct that a program knows: its default child is a part of it. */
export const ownerOf = (construct: IConstruct): IConstruct =>
  construct.node.id === "Default" ? (construct.node.scope ?? construct) : construct;

export const pathOf = (construct: IConstruct): string => ownerOf(construct).node.path;

/** The provider that a block names, with its alias. */
export function providerOf(block: Block): string {
  const override = overrideOf(block, "provider");
  return typeof override === "string" ? override : nameOf(block.provider);
}

/** A provider as its blocks name it; that without an alias where there is none. */
export const nameOf = (provider: TerraformProvider | undefined): string =>
  provider?.fqn ?? "erphost";

/** What an argument is set to, after Aspects and overrides. */
export const inputOf = (block: Block, name: string): unknown =>
  overrideOf(block, name) ?? Reflect.get(block, `${camel(name)}Input`);

function overrideOf(block: Block, name: string): unknown {
  const overrides: unknown = Reflect.get(block, "rawOverrides");
  return isRecord(overrides) ? overrides[name] : undefined;
}

/** The same as text; empty: nothing. */
export const inputText = (block: Block, name: string): string =>
  textOf(block, inputOf(block, name));

/** The blocks of the program that an input refers to. */
export const blocksIn = ({ byAddress }: Program, text: string): readonly Block[] =>
  [...new Set(addressesIn(text))].flatMap((address) => byAddress.get(address) ?? []);
