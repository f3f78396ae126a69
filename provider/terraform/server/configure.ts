/** The provider block: checking it, and opening the engine that it configures. */
import { InvalidInput } from "../../contract";
import { ofArgument, providerArguments, readConfig, type ReadConfig } from "../config";
import { failure, refusal, diagnosticsOf } from "../diagnostics";
import { faultsOfGiven } from "../../engine";
import { readObject } from "../values/dynamic";
import type { Diagnostic, ValidateProviderConfigRequest } from "../wire/messages.gen";
import type { Session } from "./session";

type Diagnosed = { diagnostics: Diagnostic[] };

/** Checks what does not depend on the environment, which may be another one at apply. */
export function validateProvider(
  session: Session,
  { config }: ValidateProviderConfigRequest,
): Diagnosed {
  session.replans = false;
  return { diagnostics: staticFaults(readConfig(readObject(config))) };
}

const staticFaults = ({ given, issues }: ReadConfig): Diagnostic[] =>
  [...issues, ...faultsOfGiven(given).map(ofArgument)].map((issue) =>
    refusal(providerArguments, issue),
  );

export async function configureProvider(
  session: Session,
  request: ValidateProviderConfigRequest,
): Promise<Diagnosed> {
  const config = readConfig(readObject(request.config));
  const { given, unknown } = config;
  const faults = staticFaults(config);
  if (faults.length > 0) return { diagnostics: faults };
  try {
    if (unknown.length > 0) await session.postpone(given, unknown);
    else {
      await session.configure(given);
      // A wrong address or key is reported here, by the provider, and not by each of its objects.
      await session.needEngine().preflight(session.reading());
    }
    return { diagnostics: diagnosticsOf(providerArguments, { notes: session.takeWarnings() }) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      return { diagnostics: failure("Configuring the provider", providerArguments, error) };
    }
    return {
      diagnostics: error.issues.map((issue) => refusal(providerArguments, ofArgument(issue))),
    };
  }
}
