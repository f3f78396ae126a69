/** The library that the tests run on, as jest.config.cjs says for each project. */
export const LIBRARY: string = String(Reflect.get(globalThis, "LIBRARY") ?? "cdktf");
