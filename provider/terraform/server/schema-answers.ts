/**
 * Responses that are the same in every run, as bytes. The bundler puts the bytes in place of this file,
 * so that a process that is only asked for the schema loads no definitions.
 */
import { providerFunctions } from "../schema/functions";
import {
  renderFunction,
  renderIdentities,
  renderMetadata,
  renderProvider,
} from "../schema/provider-schema";
import { functionsResponse, identitySchemas, metadata, providerSchema } from "../wire/messages.gen";
import { encodeMessage } from "../../grpc";

export const schemaAnswer = (): Buffer => encodeMessage(providerSchema, renderProvider());

export const identitiesAnswer = (): Buffer => encodeMessage(identitySchemas, renderIdentities());

export const metadataAnswer = (): Buffer => encodeMessage(metadata, renderMetadata());

export const functionsAnswer = (): Buffer =>
  encodeMessage(functionsResponse, {
    functions: Object.fromEntries(
      [...providerFunctions].map(([name, each]) => [name, renderFunction(each)]),
    ),
  });
