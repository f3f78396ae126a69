/** A Python package index: pypiserver, which sends whoever wants another package to pip's own index; and publishing to it. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runProgram, type Finished } from "../../../scripts/bootstrap/programs.cjs";
import { freePort, startServer } from "../../harness/servers";
import { PUBLISH_MS_MAX } from "./npm";

const QUESTION_MS_MAX = 60_000;

/** @param tools the folder with its programs @param folder an empty one of its own */
export async function startPythonIndex(tools: string, folder: string) {
  const files = join(folder, "packages");
  mkdirSync(files, { recursive: true });
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/`;
  const outside = await configuredIndex(tools);
  const server = await startServer({
    name: "pypiserver",
    program: join(tools, "python"),
    words: [
      ...["-m", "pypiserver", "run", "--interface", "127.0.0.1", "--port", String(port)],
      // Whoever reaches a loopback address may upload.
      ...["--passwords", ".", "--authenticate", "."],
      ...(outside === "" ? [] : ["--fallback-url", outside]),
      files,
    ],
    folder,
    ready: `${address}simple/`,
  });
  // What pip takes as `--index-url`, and what twine takes as `--repository-url`.
  return { ...server, index: `${address}simple/`, uploads: address };
}

/** Empty where pip's own default holds, which is pypiserver's too. */
async function configuredIndex(tools: string): Promise<string> {
  const words = ["-m", "pip", "config", "get", "global.index-url"];
  const options = { env: process.env, timeoutMs: QUESTION_MS_MAX };
  const { code, stdout } = await runProgram(join(tools, "python"), words, options);
  return process.env["PIP_INDEX_URL"] ?? (code === 0 ? stdout.trim() : "");
}

/** `twine upload` of a wheel. A refusal is an answer. */
export function publishToPython(
  { uploads }: Awaited<ReturnType<typeof startPythonIndex>>,
  tools: string,
  wheel: string,
): Promise<Finished> {
  const login = ["--username", "rehearsal", "--password", "rehearsal", "--non-interactive"];
  const words = [
    ...["-m", "twine", "upload"],
    // The index says why only in its answer.
    ...["--verbose", "--disable-progress-bar"],
    "--repository-url",
    uploads,
    ...login,
    wheel,
  ];
  return runProgram(join(tools, "python"), words, { env: process.env, timeoutMs: PUBLISH_MS_MAX });
}
