/** `erphost/cdktf/testing`: what tests say about a stack, in jest and without it. */
import "../../provider/start/node";
import "../peers";
export { expectStack, type StackExpectation, type StackMatchers } from "./expectation";
export { setupJest } from "./jest";
export type { Asymmetric, ExpectedProps, ObjectClass } from "./declared-objects";
export { synth } from "./synthesised";
