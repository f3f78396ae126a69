/** A plain web server of the files of a folder, in this process. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { folderSite } from "../../harness/release/sites";
import type { RunningServer } from "../../harness/servers";

export interface FileServer extends RunningServer {
  /** Without a slash at its end. */
  readonly address: string;
}

export async function serveFolder(folder: string): Promise<FileServer> {
  const site = folderSite(folder);
  const server = createServer((request, response) => {
    const content = site(request.url ?? "");
    const body = content ?? "not found";
    // Pulumi takes no archive of an unknown length.
    const headers = { "content-length": Buffer.byteLength(body) };
    response.writeHead(content === undefined ? 404 : 200, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is an object, never the path of a socket.
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { address: `http://127.0.0.1:${port}`, stop };
}
