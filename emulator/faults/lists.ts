/** The faults that bend lists. Such a page is made in memory, from the rows as they seem to be. */
import { shuffled } from "../random";
import { pageOf, type ListRequest, type ListResult } from "../store/list";
import type { Service } from "../service/service";
import { effectOf, type Effect } from "./effects";

interface BentPage {
  readonly result: ListResult;
  /** What counts for the number of pages. */
  readonly perPage: number;
  /** What `pagination` says beside that. */
  readonly shown?: { readonly perPage: number };
}

/** Undefined where no fault touches the list. */
export function bentPage(
  service: Service,
  request: ListRequest,
  { page, perPage: asked }: { page: number; perPage: number },
  effects: readonly Effect[],
): BentPage | undefined {
  const shift = effectOf(effects, "shift-pages");
  const order = effectOf(effects, "ignore-order");
  const ties = effectOf(effects, "tie-shuffle");
  const lag = effectOf(effects, "list-lag");
  const clamp = effectOf(effects, "clamp-per-page");
  if (!shift && !order && !ties && !lag && !clamp) return undefined;

  const perPage = Math.min(asked, clamp?.max ?? asked);
  const stored = service.objects.all(request.kind);
  const rows = lag ? service.changes.undone(request.kind, stored, lag.ms) : stored;
  const shuffle = <T>(list: readonly T[]) => shuffled(list, service.random);
  const offset = Math.max(0, (page - 1) * perPage + (page > 1 ? (shift?.by ?? 0) : 0));
  const bent: ListRequest = {
    ...request,
    offset,
    limit: perPage,
    ...(order && { sort: request.createdAt, descending: order.order !== "asc" }),
  };
  // All ties of a field that no record has: a random order.
  const arranged = order?.order === "random" ? { ...bent, sort: "" } : bent;
  const result = pageOf(rows, arranged, {
    shuffleTies: ties || order?.order === "random" ? shuffle : undefined,
  });
  return { result, perPage, ...(clamp?.echo === false && { shown: { perPage: asked } }) };
}
