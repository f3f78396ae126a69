/** Holds requests and answers against an OpenAPI document, as a proxy before the service. */
import type { AddressInfo } from "node:net";
import { Validator } from "@cfworker/json-schema";
import { serve, type ServerType } from "@hono/node-server";
import { isRecord } from "../../../provider/contract";

type Node = Readonly<Record<string, unknown>>;

/** A request or an answer, as far as a document speaks of it. */
interface Exchange {
  readonly method: string;
  /** Below the base address, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | null;
  readonly body: string;
}

/** What is wrong with a request or an answer; empty: nothing. */
type Faults = readonly string[];

/** Headers that no document needs to name. */
const USUAL = /^(?:connection|content-length|content-type|date|keep-alive|transfer-encoding)$/;

const nodeOf = (value: unknown): Node => (isRecord(value) ? value : {});
const nodesOf = (value: unknown): Node[] => (Array.isArray(value) ? value.map(nodeOf) : []);

export class OpenApiDocument {
  private readonly validators = new Map<Node, Validator>();

  constructor(private readonly document: Node) {}

  /** Undefined where the document lacks the operation. */
  private operationOf({ method, path }: Exchange): Node | undefined {
    const parts = path.split("/");
    const fits = (template: string) => {
      const wanted = template.split("/");
      return (
        wanted.length === parts.length &&
        wanted.every((part, index) => part.startsWith("{") || part === parts[index])
      );
    };
    // A path without parameters comes first, by the standard.
    const [template] = Object.keys(nodeOf(this.document["paths"]))
      .filter(fits)
      .sort((a, b) => Number(a.includes("{")) - Number(b.includes("{")));
    const operation = nodeOf(nodeOf(this.document["paths"])[template ?? ""])[method.toLowerCase()];
    return isRecord(operation) ? operation : undefined;
  }

  faultsOfRequest(exchange: Exchange): Faults {
    const operation = this.operationOf(exchange);
    if (!operation) return [`there is no ${exchange.method} ${exchange.path}`];
    const parameters = nodesOf(operation["parameters"]).map((each) => this.resolved(each));
    const known = new Set(
      parameters.filter((each) => each["in"] === "query").map((each) => each["name"]),
    );
    const unknown = [...exchange.query.keys()].filter((name) => !known.has(name));
    return [
      ...unknown.map((name) => `the query parameter ${name} is not known`),
      ...parameters.flatMap((parameter) => this.faultsOfParameter(parameter, exchange)),
      ...this.faultsOfBody(operation, exchange),
    ];
  }

  private faultsOfParameter(parameter: Node, { query, header }: Exchange): Faults {
    const name = String(parameter["name"]);
    const value = parameter["in"] === "query" ? query.get(name) : header(name);
    if (value === null) return parameter["required"] === true ? [`${name} is missing`] : [];
    return this.faultsOfText(name, nodeOf(parameter["schema"]), value);
  }

  private faultsOfBody(operation: Node, { body, header }: Exchange): Faults {
    const { requestBody } = operation;
    if (body === "") return nodeOf(requestBody)["required"] === true ? ["a body is missing"] : [];
    if (!isRecord(requestBody)) return ["a body is not expected"];
    return this.faultsOfContent(requestBody, header("content-type"), body);
  }

  faultsOfAnswer(exchange: Exchange, { status, headers }: Response, body: string): Faults {
    // What a path or a method that the document does not have is answered with.
    const undeclared = { [status]: { $ref: `#/components/responses/Error${status}` } };
    const responses = nodeOf(this.operationOf(exchange)?.["responses"] ?? undeclared);
    const response = this.resolved(nodeOf(responses[String(status)] ?? responses["default"]));
    const declared = nodeOf(response["headers"]);
    const names = new Map(Object.keys(declared).map((name) => [name.toLowerCase(), name]));
    const faults = [...headers].flatMap(([name, value]): Faults => {
      if (USUAL.test(name)) return [];
      const known = names.get(name);
      if (known === undefined) return [`the header ${name} is not known`];
      const { schema } = this.resolved(nodeOf(declared[known]));
      return this.faultsOfText(name, nodeOf(schema), value);
    });
    return [...faults, ...this.faultsOfContent(response, headers.get("content-type"), body)].map(
      (fault) => `${status}: ${fault}`,
    );
  }

  private faultsOfContent(holder: Node, type: string | null, body: string): Faults {
    const { content } = holder;
    if (!isRecord(content)) return ["no body is described"];
    const media = (type ?? "").split(";")[0] ?? "";
    const described = content[media];
    if (!isRecord(described)) return [`the content type ${media} is not known`];
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return ["body is not JSON"];
    }
    return this.faultsOfValue("body", nodeOf(described["schema"]), value);
  }

  /** A parameter or header, as the type that its schema asks for. */
  private faultsOfText(name: string, schema: Node, value: string): Faults {
    const isNumber = schema["type"] === "integer" || schema["type"] === "number";
    return this.faultsOfValue(name, schema, isNumber && value !== "" ? Number(value) : value);
  }

  private faultsOfValue(name: string, schema: Node, value: unknown): Faults {
    const whole = { ...schema, components: this.document["components"] };
    const validator = this.validators.get(schema) ?? new Validator(whole, "2020-12", false);
    this.validators.set(schema, validator);
    return validator
      .validate(value)
      .errors.map(({ instanceLocation, error }) => `${name} ${instanceLocation}: ${error}`);
  }

  private resolved(node: Node): Node {
    const { $ref } = node;
    if (typeof $ref !== "string") return node;
    return $ref
      .replace("#/", "")
      .split("/")
      .reduce<Node>((value, key) => nodeOf(value[key]), this.document);
  }
}

interface Passed {
  /** `POST /servers → 201` */
  readonly call: string;
  readonly status: number;
  readonly request: Faults;
  readonly answer: Faults;
}

/** Headers that belong to one connection and not to the message. */
const OF_CONNECTIONS = ["host", "connection", "content-length", "transfer-encoding"];

/**
 * Starts it before the service at `baseUrl`.
 * @returns its own base address, in place of the service's, and what passed, oldest first
 */
export async function startProxy(document: OpenApiDocument, baseUrl: string) {
  const passed: Passed[] = [];
  const pass = async (incoming: Request): Promise<Response> => {
    const { method, url, headers } = incoming;
    const { pathname, searchParams: query, search } = new URL(url);
    const path = pathname.replace(/^\/v1/, "");
    const body = await incoming.text();
    const exchange: Exchange = { method, path, query, header: (name) => headers.get(name), body };
    const answered = await fetch(`${baseUrl}${path}${search}`, {
      ...{ method, headers: [...headers].filter(([name]) => !OF_CONNECTIONS.includes(name)) },
      ...(body !== "" && { body }),
    });
    const { status } = answered;
    const whole = await answered.text();
    passed.push({
      ...{ call: `${method} ${path} → ${status}`, status },
      request: document.faultsOfRequest(exchange),
      answer: document.faultsOfAnswer(exchange, answered, whole),
    });
    const kept = [...answered.headers].filter(([name]) => !OF_CONNECTIONS.includes(name));
    return new Response(whole, { status, headers: kept });
  };
  let server: ServerType | undefined;
  const { port } = await new Promise<AddressInfo>((resolve) => {
    server = serve({ fetch: pass, port: 0, hostname: "127.0.0.1" }, resolve);
  });
  return { baseUrl: `http://127.0.0.1:${port}/v1`, passed, close: () => server?.close() };
}
