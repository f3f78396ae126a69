/** Every format that `erphost import` writes. A new one is an entry here. */
import { cdktfWriter } from "./cdktf/writer";
import { pulumiPythonWriter } from "./pulumi/python";
import { pulumiTypescriptWriter } from "./pulumi/typescript";
import { pulumiYamlWriter } from "./pulumi/yaml";
import { terraformWriter } from "./terraform/writer";
import type { Writer } from "./writer";

export const writers: Readonly<Record<string, Writer>> = {
  terraform: terraformWriter,
  "pulumi-typescript": pulumiTypescriptWriter,
  "pulumi-yaml": pulumiYamlWriter,
  "pulumi-python": pulumiPythonWriter,
  cdktf: cdktfWriter,
};
