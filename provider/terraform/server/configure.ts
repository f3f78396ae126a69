/** The provider block: checking it, and opening the engine that it configures. */
import { InvalidInput } from "../../contract";
import { ofArgument, providerArguments, readConfig } from "../config";
import { failure, refusal, warning } from "../diagnostics";
import { readObject } from "../values/dynamic";
import type { ConfigRequest, Diagnostic } from "../wire/messages";
import type { Session } from "./session";

type Diagnosed = { diagnostics: Diagnostic[] };

/** Checks what does not depend on the environment, which may be another one at apply. */
export async function validateProvider(request: ConfigRequest): Promise<Diagnosed> {
  const { issues } = readConfig(readObject(request.config));
  return { diagnostics: issues.map((issue) => refusal(providerArguments, issue)) };
}

export async function configureProvider(
  session: Session,
  request: ConfigRequest,
): Promise<Diagnosed> {
  const { given, unknown, issues } = readConfig(readObject(request.config));
  if (issues.length > 0) {
    return { diagnostics: issues.map((issue) => refusal(providerArguments, issue)) };
  }
  try {
    if (unknown.length > 0) session.postpone(given, unknown);
    else session.configure(given);
    return { diagnostics: session.takeWarnings().map((each) => warning(providerArguments, each)) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      return { diagnostics: failure("Configuring the provider", providerArguments, error) };
    }
    return {
      diagnostics: error.issues.map((issue) => refusal(providerArguments, ofArgument(issue))),
    };
  }
}
