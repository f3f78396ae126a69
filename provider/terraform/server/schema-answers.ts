/**
 * Responses that are the same in every run, as bytes. The bundler puts the bytes in place of this file,
 * so that a process that is only asked for the schema loads no definitions.
 */
import type { SCHEMA_CALLS } from "../names";
import { providerFunctions } from "../schema/functions";
import { renderFunction, renderIdentities, renderMetadata } from "../schema/provider-schema";
import { renderProvider } from "../schema/provider-schema";
import { functionsResponse, identitySchemas, metadata, providerSchema } from "../wire/messages.gen";
import { encodeMessage } from "../../grpc";

/** By the name of the call. */
export const schemaAnswers: Readonly<Record<(typeof SCHEMA_CALLS)[number], () => Buffer>> = {
  GetProviderSchema: () => encodeMessage(providerSchema, renderProvider()),
  GetResourceIdentitySchemas: () => encodeMessage(identitySchemas, renderIdentities()),
  GetMetadata: () => encodeMessage(metadata, renderMetadata()),
  GetFunctions: () => {
    const functions = [...providerFunctions].map(
      ([name, each]) => [name, renderFunction(each)] as const,
    );
    return encodeMessage(functionsResponse, { functions: Object.fromEntries(functions) });
  },
};
