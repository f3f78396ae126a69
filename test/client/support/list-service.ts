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

/** Between two creations. */
const STEP_MS = 10_000;

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
    this.time += STEP_MS;
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
    const query = queryOf(request);
    const order = query.get("order") === "asc" ? "asc" : "desc";
    const page = this.page(Number(query.get("page")), Number(query.get("per_page")), order);
    return raw(200, { success: true, meta: { ...META, timestamp: this.serviceTime }, ...page });
  };

  /** Between the last creation and the next. */
  get serviceTime(): string {
    return new Date(this.time + STEP_MS / 2).toISOString();
  }

  /** A page as it is now, in the size that the service uses. */
  page(number: number, perPage: number, order: "asc" | "desc") {
    this.beforePage();
    const size = Math.min(perPage, this.perPageMax);
    const all = this.rearrange(order === "asc" ? this.items : this.items.toReversed());
    const data = all.slice((number - 1) * size, number * size);
    return { data, pagination: pagination(number, size, all.length) };
  }
}
