/**
 * A packaged provider is started by a program that answers the engine's questions about the schema by
 * itself. At the first other call it becomes this process, which keeps its socket and its
 * certificate: the engine connects again, and makes that call again, because nobody has looked at it.
 */
import * as z from "zod";

const WORD = /^--take-over=(\d+),(\d+)$/;

/** What this process keeps of its starter. */
export interface TakenOver {
  /** Descriptor of the socket, which listens already. */
  readonly socket: number;
  /** The socket's private folder. */
  readonly folder: string;
  /** PEM, PKCS 8. */
  readonly keyPem: string;
  readonly certificatePem: string;
}

/**
 * Undefined where this process was started by an engine.
 * @param read takes everything out of a descriptor
 * @throws Error where the starter passed on something else
 */
export function takeOver(
  args: readonly string[],
  read: (descriptor: number) => string,
): TakenOver | undefined {
  const found = args.map((word) => WORD.exec(word)).find((match) => match !== null);
  if (!found) return undefined;
  const given = passedOn.safeParse(JSON.parse(read(Number(found[2]))));
  if (!given.success) throw new Error("the starter passed on no certificate");
  const { key, certificate, folder } = given.data;
  return { socket: Number(found[1]), folder, keyPem: key, certificatePem: certificate };
}

const passedOn = z.object({ key: z.string(), certificate: z.string(), folder: z.string() });
