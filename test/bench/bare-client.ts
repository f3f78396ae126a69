/** The same calls with undici alone: a pool and JSON, without checks and retries. */
import { randomUUID } from "node:crypto";
import { Pool } from "undici";

export interface BareClient {
  page(number: number, perPage: number): Promise<number>;
  create(name: string): Promise<void>;
  close(): Promise<void>;
}

export function bareClient(url: string, apiKey: string, connections = 10): BareClient {
  const pool = new Pool(url, { connections });
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return {
    async page(number, perPage) {
      const path = `/v1/servers?page=${number}&per_page=${perPage}`;
      const { body } = await pool.request({ method: "GET", path, headers });
      // Such a client trusts what it reads.
      return ((await body.json()) as { data: unknown[] }).data.length;
    },
    async create(name) {
      const { body } = await pool.request({
        method: "POST",
        path: "/v1/servers",
        headers: { ...headers, "idempotency-key": randomUUID() },
        body: JSON.stringify({ name }),
      });
      await body.json();
    },
    close: () => pool.close(),
  };
}
