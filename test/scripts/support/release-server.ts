import { createServer } from "node:https";
import type { Certificate } from "../../../provider/terraform/host/certificate";
import { addressOf, atEndOfFile } from "../../support/folder";

/** A stand-in for a vendor's release page, reached through ERPHOST_ENGINES_MIRROR. */
export interface ReleaseServer {
  /** What to set ERPHOST_ENGINES_MIRROR to. */
  readonly address: string;
  /** What it serves, by path; everything else is a 404. */
  readonly files: Map<string, Buffer | string>;
  /** The requests in their order: `GET /tofu/1.12.6/tofu.zip`. */
  readonly asked: string[];
}

/** Starts on a free port of the loopback address, until all tests of the file are over. */
export async function startReleaseServer({
  certificatePem: cert,
  keyPem: key,
}: Certificate): Promise<ReleaseServer> {
  const files = new Map<string, Buffer | string>();
  const asked: string[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    const path = request.url ?? "";
    asked.push(`${request.method} ${path}`);
    const content = files.get(path);
    const body = content ?? "not found";
    // As file servers do; Pulumi refuses an archive of unknown length.
    const headers = { "content-length": Buffer.byteLength(body) };
    response.writeHead(content === undefined ? 404 : 200, headers).end(body);
  });
  const address = await addressOf(server, atEndOfFile);
  return { address: address.replace("http://127.0.0.1", "https://localhost"), files, asked };
}
