/** Methods that know the messages they take and answer. */
import { decodeMessage, encodeMessage, type Message } from "./protobuf";
import type { Unary } from "./server";

/** A method together with its messages. */
export type TypedUnary<Request, Answer> = Unary & {
  readonly request: Message<Request>;
  readonly answer: Message<Answer>;
};

/** Decodes the request for `run`, and encodes what it answers. */
export function unary<Request, Answer>(
  request: Message<Request>,
  answer: Message<Answer>,
  run: (request: Request) => Answer | Promise<Answer>,
): TypedUnary<Request, Answer> {
  const method = async (bytes: Buffer): Promise<Buffer> =>
    encodeMessage(answer, await run(decodeMessage(request, bytes)));
  return Object.assign(method, { request, answer });
}

/** Methods by name. */
export type Methods = Readonly<Record<string, TypedUnary<unknown, unknown>>>;
