/** Renaming and moving constructs. */
import { TerraformElement, TerraformResource } from "cdktf";
import type { IConstruct } from "constructs";

/**
 * Moves what `from` declares to `to`, with everything below: the plan moves the objects in the state
 * and changes nothing in the service. `from` then declares nothing; remove it and this call once every
 * workspace has applied the move.
 * @throws Error if a resource below `from` has no counterpart below `to`, or one with another name
 * @example
 * const renamed = new Server(stack, "web", { name: "erp-web" });
 * moveConstruct(new Server(stack, "old", { name: "erp-web" }), renamed);
 */
export function moveConstruct(from: IConstruct, to: IConstruct): void {
  const targets = new Map(resourcesBelow(to).map((each) => [pathBelow(to, each), each]));
  for (const resource of resourcesBelow(from)) {
    const path = pathBelow(from, resource);
    const target = targets.get(path);
    if (target?.terraformResourceType !== resource.terraformResourceType) {
      throw new Error(
        `${from.node.path} can't be moved to ${to.node.path}: there is no ${resource.terraformResourceType} at ${to.node.path}${path}. Declare it there, or move the other resources one by one with moveTo.`,
      );
    }
    assertSameName(resource, target);
    const name = `moved to ${target.node.path}`;
    target.addMoveTarget(name);
    resource.moveTo(name);
  }
  // Outputs and data sources have no state to move, and would refer to resources that are gone.
  for (const each of from.node.findAll()) {
    if (!TerraformElement.isTerraformElement(each)) continue;
    if (!TerraformResource.isTerraformResource(each))
      each.node.scope?.node.tryRemoveChild(each.node.id);
  }
}

/** A name defaults to the construct's id, so a move would change it. */
function assertSameName(from: TerraformResource, to: TerraformResource): void {
  const old: unknown = Reflect.get(from, "nameInput");
  const next: unknown = Reflect.get(to, "nameInput");
  if (old === next || typeof old !== "string" || typeof next !== "string") return;
  throw new Error(
    `${from.node.path} can't be moved to ${to.node.path}, which would rename the object in the service from ${old} to ${next}. Set name: ${JSON.stringify(old)} on the new construct.`,
  );
}

const resourcesBelow = (construct: IConstruct): TerraformResource[] =>
  construct.node.findAll().filter((each) => TerraformResource.isTerraformResource(each));

const pathBelow = (scope: IConstruct, construct: IConstruct): string =>
  construct.node.path.slice(scope.node.path.length);
