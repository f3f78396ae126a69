/**
 * The shape of the code, measured the same way before and after a change: `npm run check metrics`
 * prints it next to what was recorded last, and fails if a limit is exceeded.
 */
import { dirname } from "node:path";
import ts from "typescript";
import type { TrackedFile } from "./tracked";

/** What is measured of the hand-written TypeScript of one room. */
export interface RoomMetrics {
  readonly files: number;
  /** Without blank lines and comments. */
  readonly lines: number;
  readonly longestFile: number;
  readonly longestFunction: number;
  /** Functions with five parameters or more. */
  readonly manyParameters: number;
  readonly functions: number;
  readonly fullestFolder: number;
}

/** The limits of product and scripts; tests have ESLint's alone. */
export const limits = {
  longestFile: 300,
  longestFunction: 70,
  manyParameters: 0,
  fullestFolder: 12,
} as const;

const ROOMS: readonly (readonly [room: string, pattern: RegExp])[] = [
  ["engine", /^provider\/engine\//],
  ["client", /^provider\/client\//],
  ["contract", /^provider\/(?:contract|resources)\/|^provider\/[^/]+$/],
  ["messages", /^provider\/messages\//],
  ["settings", /^provider\/settings\//],
  ["grpc", /^provider\/grpc\//],
  ["pulumi", /^provider\/pulumi\//],
  ["terraform", /^provider\/terraform\//],
  ["cdktf-bindings", /^cdktf-bindings\//],
  ["emulator", /^emulator\//],
  ["cli", /^cli\//],
  ["scripts", /^(?:scripts\/(?!check)|demo\/)/],
  ["checks", /^scripts\/check/],
  ["tests", /^test\//],
];

const GENERATED = /\.gen\.ts$|^cdktf-bindings\/(?:cdktn|generated)\//;

/** Measures every room that has files. */
export function measure(files: readonly TrackedFile[]): Record<string, RoomMetrics> {
  const sources = files.filter(
    ({ path }) => /\.(?:ts|cjs|mjs)$/.test(path) && !GENERATED.test(path),
  );
  return Object.fromEntries(
    ROOMS.flatMap(([room, pattern]) => {
      const own = sources.filter(({ path }) => pattern.test(path));
      return own.length === 0 ? [] : [[room, measureRoom(own)] as const];
    }),
  );
}

function measureRoom(files: readonly TrackedFile[]): RoomMetrics {
  const measured = files.map(measureFile);
  const functions = measured.flatMap((file) => file.functions);
  return {
    files: files.length,
    lines: sum(measured.map(({ lines }) => lines)),
    longestFile: Math.max(...measured.map(({ lines }) => lines)),
    longestFunction: Math.max(0, ...functions.map(({ lines }) => lines)),
    manyParameters: functions.filter(({ parameters }) => parameters > 4).length,
    functions: functions.length,
    fullestFolder: Math.max(...folderSizes(files).values()),
  };
}

interface MeasuredFunction {
  readonly lines: number;
  readonly parameters: number;
}

/** Lines that hold code, and the functions with theirs, inner ones counted. */
function measureFile({ path, text }: TrackedFile): {
  readonly lines: number;
  readonly functions: readonly MeasuredFunction[];
} {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const code = linesOfCode(source);
  const functions: MeasuredFunction[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const from = source.getLineAndCharacterOfPosition(node.getStart()).line;
      const to = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      functions.push({
        lines: code.filter((line) => line >= from && line <= to).length,
        parameters: node.parameters.length,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { lines: code.length, functions };
}

/** The lines on which a token begins or ends: neither blank nor comment alone. */
function linesOfCode(source: ts.SourceFile): number[] {
  const found = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (node.getChildCount(source) > 0) {
      for (const child of node.getChildren(source)) visit(child);
      return;
    }
    // Text that spans lines, such as a template, is code on all of them.
    if (ts.isJSDoc(node) || node.getWidth(source) === 0) return;
    const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
    const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
    for (let line = first; line <= last; line += 1) found.add(line);
  };
  visit(source);
  return [...found].sort((a, b) => a - b);
}

const folderSizes = (files: readonly TrackedFile[]): Map<string, number> => {
  const sizes = new Map<string, number>();
  for (const { path } of files) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  return sizes;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** Every limit that product or scripts pass, one sentence each. */
export const passed = (rooms: Readonly<Record<string, RoomMetrics>>): string[] =>
  Object.entries(rooms)
    .filter(([room]) => room !== "tests")
    .flatMap(([room, metrics]) =>
      (Object.keys(limits) as (keyof typeof limits)[])
        .filter((name) => metrics[name] > limits[name])
        .map((name) => `${room}: ${titles[name]} ${metrics[name]}, at most ${limits[name]}.`),
    );

const titles: Readonly<Record<keyof RoomMetrics, string>> = {
  files: "files",
  lines: "lines",
  longestFile: "longest file",
  longestFunction: "longest function",
  manyParameters: "5+ parameters",
  functions: "functions",
  fullestFolder: "fullest folder",
};

/** A table: each figure as it was recorded and as it is now. */
export function metricsTable(
  before: Readonly<Record<string, RoomMetrics>>,
  now: Readonly<Record<string, RoomMetrics>>,
): string {
  const names = Object.keys(titles) as (keyof RoomMetrics)[];
  const rows = Object.entries(now).map(([room, metrics]) => [
    room,
    ...names.map((name) => `${before[room]?.[name] ?? "–"} → ${metrics[name]}`),
  ]);
  const all = [["room", ...names.map((name) => titles[name])], ...rows];
  const widths = all[0]?.map((_, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
