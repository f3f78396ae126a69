/** What the plugins of all engines share: gRPC over HTTP/2, and the messages on it. */
export { CallFailure, createGrpcServer, status, type GrpcOptions, type Unary } from "./server";
export { decodeMessage, encodeMessage, MalformedMessage, message, type Message } from "./protobuf";
export { decodeStruct, encodeStruct } from "./struct";
export { Writer } from "./writer";
