/** What the plugins of all engines share: gRPC over HTTP/2, and the messages on it. */
export { CallFailure, status } from "./call-failure";
export { GrpcClient, type RemoteMethod } from "./client";
export { decodeMessage, encodeMessage, message, type Message } from "./protobuf";
export { createGrpcServer, serveGrpc, streamed, unary } from "./server";
export type { GrpcOptions, Methods, ServerStream, Streams, TypedUnary, Unary } from "./server";
export { decodeStruct, encodeStruct } from "./struct";
export { MalformedMessage, Writer } from "./wire-format";
