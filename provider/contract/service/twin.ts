/** How an emulator says which account it stands for. No part of the service's own contract. */
import { environments, type Environment } from "./key-format";

/** On every answer of an emulator that was filled from an account. */
export const TWIN_HEADER = "X-Erphost-Twin-Of";

export interface TwinOf {
  /** Ends in `/v1`, no trailing slash. */
  readonly baseUrl: string;
  readonly environment: Environment;
}

/** As the header says it: `live https://erp.example/v1`. */
export const twinText = ({ baseUrl, environment }: TwinOf): string => `${environment} ${baseUrl}`;

/** Reads the header; undefined where there is none, or where it says something else. */
export function readTwin(text: string | undefined): TwinOf | undefined {
  const [word, baseUrl, ...more] = text?.trim().split(" ") ?? [];
  const environment = environments.find((each) => each === word);
  return environment === undefined || !baseUrl || more.length > 0
    ? undefined
    : { baseUrl, environment };
}
