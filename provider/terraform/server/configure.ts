/** The provider block: checked, and made the process's engine. */
import { InvalidInput } from "../../contract";
import { ofArgument, providerArguments, readConfig } from "../config";
import { failure, issueError, warning } from "../diagnostics";
import { readObject } from "../values/dynamic";
import type { ConfigRequest, Diagnostic } from "../wire/messages";
import type { Session } from "./session";

type Told = { diagnostics: Diagnostic[] };
const WHAT = "provider configuration";

/** Only what can be said without the environment: that may be another one when it is applied. */
export async function validateProvider(request: ConfigRequest): Promise<Told> {
  const { issues } = readConfig(readObject(request.config));
  return { diagnostics: issues.map((issue) => issueError(WHAT, providerArguments, issue)) };
}

export async function configureProvider(session: Session, request: ConfigRequest): Promise<Told> {
  const { given, unknown, issues } = readConfig(readObject(request.config));
  if (issues.length > 0) {
    return { diagnostics: issues.map((issue) => issueError(WHAT, providerArguments, issue)) };
  }
  if (unknown.length > 0) {
    session.postpone(unknown);
    return { diagnostics: [] };
  }
  try {
    session.configure(given);
    return { diagnostics: session.takeWarnings().map((each) => warning(providerArguments, each)) };
  } catch (error) {
    return { diagnostics: refusals(error) };
  }
}

function refusals(error: unknown): Diagnostic[] {
  if (!(error instanceof InvalidInput))
    return failure("Configuring the provider", providerArguments, error);
  return error.issues.map((issue) => issueError(WHAT, providerArguments, ofArgument(issue)));
}
