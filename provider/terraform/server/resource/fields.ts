/** From the service's names to attributes, for its errors. */
import type { ResourceModel } from "../../schema/model";
import type { Session } from "../session";

/** Finds the attribute behind a field that the service found at fault; free fields are `properties`. */
export function attributeOfField(session: Session, model: ResourceModel): (wire: string) => string {
  const { kind } = model;
  const names =
    kind.resource === undefined
      ? {}
      : (session.engine?.contract ?? session.plainContract).resources[kind.resource].wireNames;
  return (wire) => {
    const known = Object.entries(names).find(([, own]) => own === wire)?.[0];
    return known ?? (Object.hasOwn(kind.fields, wire) ? wire : "properties");
  };
}
