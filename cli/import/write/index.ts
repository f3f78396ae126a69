/** Every format that `erphost import` writes. A new one is an entry here. */
import { terraformWriter } from "./terraform/writer";
import type { Writer } from "./writer";

export const writers: Readonly<Record<string, Writer>> = {
  terraform: terraformWriter,
};
