/**
 * A stand-in for the stores of secrets: its resources send the arguments that they are given to a
 * recorder, by the generic REST provider. It shows what an apply would send to a store, and neither
 * what a store's own provider makes of it nor that a write-only argument is kept out of the state.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Fn, TerraformProvider, TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import type { StoreClass } from "../../../cdktf-bindings";
import { snake } from "../../../provider/contract";
import { RESTAPI } from "./restapi";

/** What was sent for one resource. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export interface Recorder {
  readonly url: string;
  /** Creations and changes, in their order. */
  readonly recorded: readonly Recorded[];
  close(): Promise<void>;
}

/** Starts what the stand-in's resources are sent to. It answers as the generic provider expects. */
export async function startRecorder(): Promise<Recorder> {
  const recorded: Recorded[] = [];
  const server = createServer((request, response) => {
    const { method = "", url: path = "" } = request;
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      if (method === "POST" || method === "PUT") {
        recorded.push({ method, path, body: JSON.parse(text) as unknown });
      }
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: { id: "1" } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Of a server that listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    recorded,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** The provider block of the stand-in's resources. */
export class RecorderProvider extends TerraformProvider {
  constructor(
    scope: Construct,
    id: string,
    private readonly url: string,
  ) {
    super(scope, id, {
      terraformResourceType: "restapi",
      terraformProviderSource: RESTAPI.source,
      terraformGeneratorMetadata: { providerName: "restapi" },
    });
  }

  protected override synthesizeAttributes() {
    return { uri: this.url, id_attribute: "data/id", write_returns_object: true };
  }
}

/**
 * A class with the arguments `C` of a store's resource, which are sent to the recorder by their names in
 * Terraform.
 * @param path that they are sent to
 */
export const standInOf = <C extends object>(path: string): StoreClass<C, TerraformResource> =>
  class extends TerraformResource {
    constructor(
      scope: Construct,
      id: string,
      private readonly config: C,
    ) {
      super(scope, id, {
        terraformResourceType: "restapi_object",
        terraformGeneratorMetadata: { providerName: "restapi" },
      });
    }

    protected override synthesizeAttributes() {
      const named = Object.entries({ ...this.config } as Record<string, unknown>).map(
        ([name, value]) => [snake(name), value] as const,
      );
      return { path, data: Fn.jsonencode(Object.fromEntries(named)) };
    }
  };
