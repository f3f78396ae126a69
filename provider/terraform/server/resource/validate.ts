/** Checking a resource's configuration, before anything is planned. */
import { check } from "../../../engine";
import { refusal } from "../../diagnostics";
import { readObject } from "../../values/dynamic";
import { inputsOf, ownIssues } from "../../values/state";
import { asWritten } from "../../values/written";
import type { Diagnostic, TypedConfigRequest } from "../../wire/messages.gen";
import type { Session } from "../session";

export async function validateResource(
  session: Session,
  { type_name, config }: TypedConfigRequest,
): Promise<{ diagnostics: Diagnostic[] }> {
  const model = session.model(type_name);
  const given = readObject(config);
  if (given === null) return { diagnostics: [] };
  const contract = session.engine?.contract ?? session.plainContract;
  const inputs = inputsOf(model, given, null);
  const issues = check(contract, model.kind, inputs).issues.map((issue) =>
    asWritten(model, given, inputs, issue),
  );
  return {
    diagnostics: [...ownIssues(model, given), ...issues].map((issue) =>
      refusal(model.attributes, issue),
    ),
  };
}
