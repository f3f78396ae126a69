/** Objects that a program refers to without declaring them. */
import { Construct } from "constructs";

/**
 * A construct for an object that exists already, with the id or name that it is known by. An empty
 * one is refused at synthesis: the lookup would match another object, or none.
 * @param keys the id or the name, under the name of its parameter
 * @param remedy what to do where it is empty
 */
export function existing<K extends Readonly<Record<string, string>>>(
  scope: Construct,
  id: string,
  keys: K,
  remedy: string,
): Construct & K {
  const construct = new Construct(scope, id);
  for (const [name, value] of Object.entries(keys)) {
    if (value !== "") continue;
    construct.node.addValidation({ validate: () => [`${name} must not be empty. ${remedy}`] });
  }
  return Object.assign(construct, keys);
}
