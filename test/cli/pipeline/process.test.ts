/** Programs whose output is longer than what is read of it. */
import { expect, test } from "@jest/globals";
import { start } from "../../../cli/pipeline/tools/process";

const printing = (isQuiet: boolean, charsMax: number) =>
  start(
    {
      world: {
        report: () => undefined,
        stopped: new AbortController().signal,
        after: () => () => undefined,
      },
      env: process.env,
      cwd: ".",
    },
    { program: "sh", words: ["-c", "echo 12345678"], isQuiet, charsMax },
  );

test("a result that is longer than what is read of it is an error that says so", async () => {
  await expect(printing(true, 5)).rejects.toThrow(
    "sh -c printed more than 5 characters, which is too long.",
  );
  expect(await printing(true, 100)).toMatchObject({ code: 0, stdout: "12345678\n" });
});

test("progress may be as long as it is, and its end is that of the program", async () => {
  expect(await printing(false, 5)).toMatchObject({ code: 0 });
});
