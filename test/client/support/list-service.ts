/** A service in memory that lists servers, and lets a test change things between pages. */
import type { RawAnswer } from "../../../provider/client/chain/call";
import type { WireRequest } from "../../../provider/client/chain/transport";
import { failure, META, pagination, queryOf, raw } from "./core";

export interface Item {
  readonly id: string;
  readonly created_at: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

export class ListService {
  /** In the order of creation. */
  items: Item[] = [];
  /** Called before each page is made. */
  beforePage: () => void = () => undefined;
  /** Puts the sorted items into the order that is served. */
  rearrange: (items: readonly Item[]) => readonly Item[] = (items) => items;
  perPageMax = 100;
  private made = 0;
  private time = Date.parse("2026-01-01T00:00:00.000Z");

  constructor(count: number) {
    for (let index = 0; index < count; index += 1) this.insert();
  }

  insert(more: Record<string, unknown> = {}): Item {
    this.made += 1;
    this.time += 1_000;
    const created_at = new Date(this.time).toISOString();
    const item = { id: `srv_${this.made}`, created_at, name: `n${this.made}`, ...more };
    this.items.push(item);
    return item;
  }

  remove(id: string): void {
    this.items = this.items.filter((item) => item.id !== id);
  }

  readonly respond = (request: WireRequest): RawAnswer => {
    if (request.method !== "GET") return failure(405, "method_not_allowed");
    this.beforePage();
    const query = queryOf(request);
    const page = Number(query.get("page"));
    const perPage = Math.min(this.perPageMax, Number(query.get("per_page")));
    const sorted = this.rearrange(
      query.get("order") === "asc" ? this.items : [...this.items].reverse(),
    );
    const data = sorted.slice((page - 1) * perPage, page * perPage);
    const whole = { success: true, data, meta: META };
    return raw(200, { ...whole, pagination: pagination(page, perPage, sorted.length) });
  };
}
