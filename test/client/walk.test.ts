import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { seededRandom } from "../../emulator/random";
import { ErpHostError, hasCode } from "../../provider/client/errors";
import type { FetchPage, Page } from "../../provider/client/api";
import { backwardWalk, fastWalk, PAGES_MAX, wholeWalk } from "../../provider/client/lists/walk";
import type { Walk } from "../../provider/client/lists/walk";
import { message } from "../../provider/messages";
import { judge, WALKS_MAX } from "../../provider/client/lists/absence";
import { pagination } from "./support/core";
import { ListService } from "./support/list-service";

/** Pages of a service, without the wire. */
const pagesOf =
  (service: ListService): FetchPage =>
  async (number, perPage) => {
    const { data, pagination } = service.page(number, perPage, "asc");
    const records = data.map((fields) => ({ id: fields.id, fields, properties: {} }));
    const page = { number, records, odd: [], size: data.length, pagination };
    return { ...page, serviceTime: service.serviceTime } satisfies Page;
  };

/** `tookMs`: between two looks at the clock. */
const source = (from: FetchPage | ListService, perPage = 100, tookMs = 1) => {
  let time = 0;
  const fetchPage = from instanceof ListService ? pagesOf(from) : from;
  return { fetchPage, perPage, operation: "GET /servers", now: () => (time += tookMs) };
};

const lastPage = (service: ListService, perPage: number) =>
  Math.max(1, Math.ceil(service.items.length / perPage));

/** Inserts and deletes at random before each page, as others on the account would. */
function churn(service: ListService, random: () => number, spared?: string) {
  service.beforePage = () => {
    for (let count = Math.floor(random() * 3); count > 0; count -= 1) {
      const victim = service.items[Math.floor(random() * service.items.length)];
      if (random() < 0.5 || !victim || victim.id === spared) service.insert();
      else service.remove(victim.id);
    }
  };
}

/** Asks whether an item that lives through it all is gone, as the check does: walk until it is proved. */
async function isDeclaredGone(service: ListService, id: string, perPage: number, made?: string) {
  const walks: Walk[] = [];
  for (let count = 0; count < WALKS_MAX; count += 1) {
    try {
      walks.push(await backwardWalk(source(service, perPage), lastPage(service, perPage)));
      // The id is hidden from the first look, so that each walk's own proof is tested.
      const proof = judge({ id, createdAt: made }, walks, "GET /servers");
      if (proof) return proof.gone;
    } catch (error) {
      if (error instanceof ErpHostError) return false;
      throw error;
    }
  }
  return false;
}

/** A list of some records and eight ties, which change places whenever they are asked for. */
function tied(count: number, seed: number) {
  const random = seededRandom(seed);
  const service = new ListService(count);
  const created_at = "2026-02-01T00:00:00.000Z";
  for (let ties = 0; ties < 8; ties += 1) service.insert({ created_at });
  service.insert({ created_at: "2026-02-02T00:00:00.000Z" });
  service.rearrange = (items) =>
    [...items].sort(
      (a, b) => a.created_at.localeCompare(b.created_at) || (random() < 0.5 ? -1 : 1),
    );
  return { random, service };
}

describe("a walk from the last page to the first, oldest first", () => {
  test("a backward walk never declares a live item gone, whatever others insert and delete", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer(),
        async (count, perPage, seed) => {
          const random = seededRandom(seed);
          const service = new ListService(count);
          const lives = service.items[Math.floor(random() * count)]?.id ?? "";
          churn(service, random, lives);
          expect(await isDeclaredGone(service, lives, perPage)).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a backward walk shows every item that exists throughout", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 7 }), fc.integer(), async (perPage, seed) => {
        const service = new ListService(30);
        const before = new Set(service.items.map(({ id }) => id));
        churn(service, seededRandom(seed));
        const walk = await backwardWalk(source(service, perPage), 5).catch((error: unknown) => {
          // A list that changes so fast that its end is not found: nothing is concluded then.
          if (!hasCode(error, "unproved_absence")) throw error;
        });
        const lived = service.items.map(({ id }) => id).filter((id) => before.has(id));
        if (walk) expect([...walk.records.keys()]).toEqual(expect.arrayContaining(lived));
      }),
      { numRuns: 300 },
    );
  });

  test("a list that changes while it is read is not still, even where the number of records adds up", async () => {
    const service = new ListService(20);
    let pages = 0;
    service.beforePage = () => {
      if (++pages === 2) service.insert();
    };
    const walk = await backwardWalk(source(service, 10), 2);
    expect([walk.records.size, walk.grade]).toEqual([20, "moving"]);
  });

  test("a list that does not keep its order is noticed", async () => {
    const service = new ListService(25);
    service.rearrange = (items) => [...items].reverse();
    const walk = await backwardWalk(source(service, 10), 3);
    expect([walk.grade, walk.problem]).toEqual(["counted", message("order_broken", { page: 3 })]);
    const between = new ListService(20);
    between.rearrange = (items) => [...items.slice(10), ...items.slice(0, 10)];
    const across = await backwardWalk(source(between, 10), 2);
    expect(across.problem).toEqual(message("order_broken", { page: 1, next: 2 }));
  });

  test("ties that change places at a border of pages never make a live item gone", async () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const { service } = tied(12, seed);
      expect(await isDeclaredGone(service, service.items[15]?.id ?? "", 5)).toBe(false);
    }
  });

  describe("in a list that changes, with ties at borders of pages,", () => {
    test("no live item is declared gone although its creation time is known", async () => {
      for (let seed = 0; seed < 300; seed += 1) {
        const { random, service } = tied(6, seed);
        const lives = service.items[Math.floor(random() * 15)];
        churn(service, random, lives?.id);
        expect(await isDeclaredGone(service, lives?.id ?? "", 5, lives?.created_at)).toBe(false);
      }
    });

    test("an item with a unique creation time is proved gone by it, and only by it", async () => {
      const found = { known: 0, unknown: 0 };
      for (let seed = 0; seed < 100; seed += 1) {
        for (const way of ["known", "unknown"] as const) {
          const { random, service } = tied(6, seed);
          const gone = service.items.at(2);
          service.remove(gone?.id ?? "");
          churn(service, random);
          const createdAt = way === "known" ? gone?.created_at : undefined;
          if (await isDeclaredGone(service, gone?.id ?? "", 5, createdAt)) found[way] += 1;
        }
      }
      expect(found.known).toBeGreaterThan(found.unknown + 20);
    });
  });

  test("records without created_at prove absence only by their count", async () => {
    const service = new ListService(0);
    for (let count = 0; count < 12; count += 1) service.insert({ created_at: undefined });
    const walk = await backwardWalk(source(service, 5), 3);
    expect(walk.grade).toBe("counted");
    expect(walk.problem).toMatchObject({ code: "created_at_missing" });
  });

  test("a list is walked in the page size that the service uses", async () => {
    const service = new ListService(95);
    service.perPageMax = 20;
    const fast = await fastWalk(source(service));
    expect([fast.records.size, fast.perPage, fast.pageCount]).toEqual([95, 20, 5]);
    const back = await backwardWalk(source(service), 1);
    expect([back.records.size, back.grade]).toEqual([95, "still"]);
  });
});

describe("a fast walk", () => {
  test.each<[string, (service: ListService) => unknown]>([
    ["a deletion and an insertion", (service) => service.insert()],
    ["a deletion", () => undefined],
  ])("that %s make skip an object is followed by a backward one", async (_, insert) => {
    const service = new ListService(150);
    let served = 0;
    service.beforePage = () => {
      if (++served !== 2) return;
      service.remove("srv_5");
      insert(service);
    };
    const walk = await wholeWalk(source(service, 100));
    expect([walk.records.has("srv_101"), served]).toEqual([true, 4]);
  });

  test("is enough where others only insert", async () => {
    const service = new ListService(149);
    // In the second that the first page names: a time in whole seconds was cut off.
    service.insert({ created_at: "2026-01-01T00:25:05.500Z" });
    expect(service.serviceTime).toBe("2026-01-01T00:25:05.000Z");
    let served = 0;
    service.beforePage = () => {
      if (++served === 2) service.insert();
    };
    expect([(await wholeWalk(source(service))).records.size, served]).toEqual([151, 2]);
  });

  test("a fast walk of a single page proves as much as a backward one", async () => {
    expect((await fastWalk(source(new ListService(100)))).grade).toBe("still");
    expect((await fastWalk(source(new ListService(0)))).grade).toBe("still");
  });

  const bare =
    (sizes: readonly number[]): FetchPage =>
    async (number) => {
      const size = sizes[number - 1] ?? 0;
      const records = Array.from({ length: size }, (_, index) => {
        const id = `srv_${number}_${index}`;
        return { id, fields: { id }, properties: {} };
      });
      return { number, records, odd: [], size, pagination: undefined, serviceTime: undefined };
    };

  test("a walk without pagination continues until a page is short, and a full first page proves nothing", async () => {
    const long = await fastWalk(source(bare([100, 100, 3])));
    expect([long.records.size, long.grade]).toEqual([203, "nothing"]);
    expect(long.problem).toEqual(message("list_not_paginated", {}));
    const short = await fastWalk(source(bare([99])));
    expect([short.records.size, short.grade]).toEqual([99, "still"]);
  });

  test("a service that ignores the page number does not make a walk endless", async () => {
    const first = await bare([100])(1, 100);
    let calls = 0;
    const same: FetchPage = async () => {
      calls += 1;
      return first;
    };
    expect((await fastWalk(source(same))).records.size).toBe(100);
    expect(calls).toBe(2);
  });

  test("a list with too many pages is an error", async () => {
    const huge: FetchPage = async (number, perPage) => ({
      ...(await bare([])(number, perPage)),
      size: perPage,
      pagination: pagination(number, perPage, (PAGES_MAX + 1) * perPage),
    });
    await expect(fastWalk(source(huge))).rejects.toMatchObject({ code: "list_too_long" });
    await expect(backwardWalk(source(huge), 1)).rejects.toMatchObject({ code: "list_too_long" });
  });
});
