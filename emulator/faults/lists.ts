/** The faults that distort lists. Such pages are built in memory, from rows as a fault shows them. */
import { shuffled } from "../random";
import { pageOf, type ListRequest, type ListResult } from "../store/list";
import type { Service } from "../service/service";
import { effectOf, type Effect } from "./effects";

interface DistortedPage {
  readonly result: ListResult;
  /** What the number of pages is computed from. */
  readonly perPage: number;
  /** What `pagination` shows instead. */
  readonly shown?: { readonly perPage: number };
}

/** A page as the faults distort it; undefined where no fault affects the list. */
export function distortedPage(
  service: Service,
  request: ListRequest,
  { page, perPage: requested }: { page: number; perPage: number },
  effects: readonly Effect[],
): DistortedPage | undefined {
  const shift = effectOf(effects, "shift-pages");
  const order = effectOf(effects, "ignore-order");
  const ties = effectOf(effects, "tie-shuffle");
  const lag = effectOf(effects, "list-lag");
  const clamp = effectOf(effects, "clamp-per-page");
  if (!shift && !order && !ties && !lag && !clamp) return undefined;

  const perPage = Math.min(requested, clamp?.max ?? requested);
  const stored = service.objects.all(request.kind);
  const rows = lag ? service.changes.undone(request.kind, stored, lag.ms) : stored;
  const shuffle = <T>(list: readonly T[]) => shuffled(list, service.random);
  const offset = Math.max(0, (page - 1) * perPage + (page > 1 ? (shift?.by ?? 0) : 0));
  const distorted: ListRequest = {
    ...request,
    offset,
    limit: perPage,
    ...(order && { sort: request.createdAt, descending: order.order !== "asc" }),
  };
  // By a field that no record has, all items tie: the order is random.
  const arranged = order?.order === "random" ? { ...distorted, sort: "" } : distorted;
  const result = pageOf(rows, arranged, {
    shuffleTies: ties || order?.order === "random" ? shuffle : undefined,
  });
  return { result, perPage, ...(clamp?.echo === false && { shown: { perPage: requested } }) };
}
