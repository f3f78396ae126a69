/** What a client costs that does nothing but call. */
import { Pool } from "undici";

/** A pool of ten connections and JSON, without checks and retries. */
export function bareClient(url: string, apiKey: string) {
  const pool = new Pool(url, { connections: 10 });
  const headers = { authorization: `Bearer ${apiKey}` };
  return {
    async page(number: number, perPage: number) {
      const path = `/v1/servers?page=${number}&per_page=${perPage}`;
      const { body } = await pool.request({ method: "GET", path, headers });
      // Such a client trusts what it reads.
      return ((await body.json()) as { data: unknown[] }).data.length;
    },
    close: () => pool.close(),
  };
}
