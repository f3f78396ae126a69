/** Calls to GitHub about the repository of a run. */
import type * as z from "zod";
import { isRecord, type Values } from "../../../provider/contract";
import { ForgeError, type Run } from "./forge";
import * as answers from "./github-answers";
import { callBytes, callJson, parseAnswer, placeOf, unless } from "./http";
import type { Caller, Request } from "./http";

export interface GitHubRun extends Run {
  /** `owner/name` */
  readonly repository: string;
  readonly api: string;
  readonly graphql: string;
  readonly token: string;
  readonly branch: string;
  readonly id: string;
  readonly attempt: string;
  /** The name of the machine, which runs one job at a time. */
  readonly runner: string;
}

const PAGES_MAX = 50;
/** GitHub's answer about an artifact that it no longer keeps. */
const EXPIRED = 410;

export class Api {
  private readonly caller: Caller;

  constructor(
    readonly run: GitHubRun,
    world: Caller["world"],
  ) {
    const authorization = `Bearer ${run.token}`;
    const accept = "application/vnd.github+json";
    const headers = { authorization, accept, "x-github-api-version": "2022-11-28" };
    this.caller = { name: "GitHub", api: run.api, world, headers };
  }

  call(request: Request): Promise<unknown> {
    return callJson(this.caller, this.below(request));
  }

  async ask<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
    return this.parsed(schema, await this.call(request), request);
  }

  read<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return this.ask({ method: "GET", path }, schema);
  }

  /** Undefined where they are kept no more. */
  bytes(path: string): Promise<Uint8Array | undefined> {
    return unless([EXPIRED], () => callBytes(this.caller, this.below({ method: "GET", path })));
  }

  /** GraphQL alone says which comments are this token's own, whatever kind of token it is. */
  async query<T>(query: string, variables: Values, schema: z.ZodType<T>): Promise<T> {
    const [owner, name] = this.run.repository.split("/");
    const { origin, pathname } = new URL(this.run.graphql);
    const body = { query, variables: { owner, name, ...variables } };
    const caller = { ...this.caller, api: origin };
    const request = { method: "POST", path: pathname, body, isRepeatable: true } as const;
    const answer = await callJson(caller, request);
    const { data, errors }: Values = isRecord(answer) ? answer : {};
    if (errors === undefined) return this.parsed(schema, data, request);
    throw new ForgeError("GitHub refused to list comments or issues to this token.", undefined);
  }

  /** All texts of this token's own with a mark, oldest first. */
  async ours(mark: string, query: string, variables: object): Promise<answers.OwnText[]> {
    const all: answers.OwnText[] = [];
    let after: string | null = null;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const at: answers.Found | null = await this.pageOf(query, { ...variables, after });
      if (!at) break;
      // Whoever sees the mark can write it as well.
      all.push(
        ...at.found.nodes.filter(
          ({ body, viewerDidAuthor }) => viewerDidAuthor && body.startsWith(`${mark}\n`),
        ),
      );
      if (!at.found.pageInfo.hasNextPage) break;
      after = at.found.pageInfo.endCursor;
    }
    return all;
  }

  private async pageOf(query: string, variables: Values) {
    const { repository: of } = await this.query(query, variables, answers.texts);
    return of && "pullRequest" in of ? of.pullRequest : of;
  }

  private below(request: Request): Request {
    return { ...request, path: `/repos/${this.run.repository}${request.path}` };
  }

  private parsed<T>(schema: z.ZodType<T>, answer: unknown, { method, path }: Request): T {
    const otherwise = `GitHub: ${method} ${placeOf(path)} answered something else.`;
    return parseAnswer(schema, answer, otherwise);
  }
}
