import { describe, expect, test } from "@jest/globals";
import { loadPeers } from "../../provider/start/peers";

/** What Node.js throws where a package is not installed. */
const absent = (name: string) => (): void => {
  throw Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:\n- /a.js`), {
    code: "MODULE_NOT_FOUND",
  });
};
const present = (): void => undefined;

describe("an entry that builds on other packages", () => {
  test("an entry whose packages are there says nothing", () => {
    expect(() => loadPeers("erphost/one", [{ name: "one", load: present }])).not.toThrow();
  });

  test("an entry names every package that is missing, once, and the command with the release that fits", () => {
    const peers = [
      // It is missing for the first one as well.
      { name: "one", load: absent("two") },
      { name: "two", install: "two@1.7", load: absent("two") },
      { name: "three", load: absent("three") },
    ];
    expect(() => loadPeers("erphost/one", peers)).toThrow(
      /^erphost\/one needs two and three, which are not installed\. Install them: npm install two@1\.7 three$/,
    );
  });

  test("a package that is there and fails is left to say so itself", () => {
    const failing = { name: "one", load: absent("a-package-of-its-own") };
    expect(() => loadPeers("erphost/one", [failing])).not.toThrow();
  });
});
