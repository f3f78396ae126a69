/** The walk that clients commonly make: from the first page on, in the order that lists have. */
import { z } from "zod";
import type { World } from "./world";

const pageSchema = z.object({
  data: z.array(z.object({ id: z.string() })),
  pagination: z.object({ has_next: z.boolean() }),
});

const PAGES_MAX = 1_000;

/** The ids that one such walk shows. */
export async function naiveIds(world: World): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = await fetch(
      `${world.env["ERPHOST_BASE_URL"] ?? ""}/servers?per_page=100&page=${page}`,
      {
        headers: { Authorization: `Bearer ${world.env["ERPHOST_API_KEY"] ?? ""}` },
        signal: AbortSignal.timeout(30_000),
      },
    );
    const { data, pagination } = pageSchema.parse(await answer.json());
    for (const { id } of data) seen.add(id);
    if (!pagination.has_next) return seen;
  }
  throw new Error(`more than ${PAGES_MAX} pages`);
}
