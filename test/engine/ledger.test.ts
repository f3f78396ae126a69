/** What a run may note: a fact that breaks an invariant is refused. */
import { describe, expect, test } from "@jest/globals";
import { Ledger } from "../../provider/engine/ledger";

describe("the ledger", () => {
  const at = { kind: "server", id: "srv_1" };

  test("an id never answers two creates", () => {
    const ledger = new Ledger();
    ledger.note({ is: "made", at, by: "a" });
    expect(() => ledger.note({ is: "made", at, by: "b" })).toThrow(/which a already has/);
    ledger.note({ is: "made", at: { ...at, kind: "team" }, by: "b" });
  });

  test("an id that a state holds never answers a create", () => {
    const ledger = new Ledger();
    ledger.note({ is: "inState", at, live: true });
    expect(() => ledger.note({ is: "made", at, by: "b" })).toThrow(/answered the create/);
    ledger.note({ is: "deleted", at });
    ledger.note({ is: "made", at, by: "b" });
  });

  test("a declaration no longer has an object that is proved to be gone, and keeps any other", () => {
    const ledger = new Ledger();
    for (const identity of ["a", "b"]) {
      ledger.note({ is: "declared", identity, hasState: true });
      ledger.note({ is: "inState", at: { ...at, id: identity }, identity, live: true });
    }
    ledger.note({ is: "gone", at: { ...at, id: "a" } });
    expect([...ledger.declarations]).toEqual([
      ["a", {}],
      ["b", { hasState: true, live: { ...at, id: "b" } }],
    ]);
  });

  test("a key has one rotator, and only that may claim it again", () => {
    const ledger = new Ledger();
    const claim = (by: string) => ledger.note({ is: "rotates", keyId: "key_1", by });
    claim("a");
    claim("a");
    expect(() => claim("b")).toThrow(/already has a rotator \(a\)/);
    ledger.note({ is: "rotates", keyId: "key_1", by: "b", made: true });
    claim("b");
  });
});
