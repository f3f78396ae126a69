/** The plugin that does nothing, on the gRPC server of our own plugin. */
import { serve } from "../../../provider/pulumi/plugin/server";
import { answersByPath } from "./answers";

const methods = new Map(
  [...answersByPath].map(([path, answer]) => [path, async (bytes: Buffer) => answer(bytes)]),
);

void serve(methods, () => true).then(({ port }) => process.stdout.write(`${port}\n`));
process.stdin.on("end", () => process.exit(0));
process.stdin.resume();
