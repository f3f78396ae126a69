/** What the client reports while a call lasts. */
import { define, type Message } from "../message";

export const waitingMessages = {
  quota_wait: define<{
    seconds: number;
    requests?: number | undefined;
    windowSeconds?: number | undefined;
  }>({
    when: "A request waits for the quota of the key.",
    summary: "Waiting for the quota",
    text: ({ seconds, requests, windowSeconds }) => {
      const quota =
        requests === undefined ? "" : ` of ${requests} requests in about ${windowSeconds ?? "?"} s`;
      return `the quota of the key${quota} is used up; continuing in about ${seconds} s`;
    },
    examples: [{ seconds: 12, requests: 100, windowSeconds: 60 }, { seconds: 3 }],
  }),
  pause_requested: define<{ seconds: number }>({
    when: "The service asks for a pause.",
    summary: "Waiting for the service",
    text: ({ seconds }) => `the service asked for a pause (429); continuing in about ${seconds} s`,
    examples: [{ seconds: 60 }],
  }),
  wait_too_long: define<{ said: Message; seconds: number; mostSeconds: number }>({
    when: "The service, or the quota of the key, asks for a longer wait than is allowed.",
    summary: "Wait too long",
    text: ({ said, seconds, mostSeconds }, { say }) =>
      `${say(said)}; the wait would be ${seconds} s, and at most ${mostSeconds} s are allowed`,
    remedy: (_, { setting }) => `Try again after that time, or raise ${setting("waitMax")}.`,
    examples: [
      {
        said: { code: "too_many_requests", parts: { quoted: "Rate limit exceeded" } },
        seconds: 3_000,
        mostSeconds: 900,
      },
    ],
  }),
  quota_used_up: define<{ requests?: number | undefined; windowSeconds?: number | undefined }>({
    when: "The quota of the key is used up for longer than any known window lasts.",
    summary: "Quota used up",
    text: ({ requests, windowSeconds }) =>
      `the quota of the key${requests === undefined ? "" : ` of ${requests} requests in about ${windowSeconds ?? "?"} s`} is used up`,
    examples: [{ requests: 10_000, windowSeconds: 86_400 }, {}],
  }),
  retry_wait: define<{ operation: string; error: string; seconds: number }>({
    when: "A call waits for its next attempt.",
    summary: "Retrying",
    text: ({ operation, error, seconds }) =>
      `${operation} failed with ${error}; trying again in ${seconds} s`,
    examples: [{ operation: "GET /servers", error: "internal_error", seconds: 4 }],
  }),
  absence_check: define<{ id: string; operation: string }>({
    when: "An object is not in its list, which is read again to be sure that it is gone.",
    summary: "Checking that an object is gone",
    text: ({ id, operation }) =>
      `${id} is not in the list (${operation}); reading it twice more to be sure that it is gone`,
    examples: [{ id: "srv_1", operation: "GET /servers" }],
  }),
  odd_record: define<{ operation: string; id?: string | undefined; why: Message }>({
    when: "A list has a record that cannot be read.",
    summary: "Unreadable record",
    text: ({ operation, id, why }, { say }) =>
      `${operation} lists ${id ?? "a record"}, which cannot be read: ${say(why)}`,
    examples: [
      {
        operation: "GET /servers",
        id: "srv_1",
        why: { code: "record_value", parts: { at: "name", type: "string" } },
      },
      { operation: "GET /servers", why: { code: "record_without_id", parts: {} } },
    ],
  }),
  odd_records: define<{ operation: string; count: number }>({
    when: "A list has records without an id.",
    summary: "Records without an id",
    text: ({ operation, count }) =>
      `${operation} lists ${count} record${count === 1 ? "" : "s"} without an id, which ${count === 1 ? "is" : "are"} ignored`,
    examples: [
      { operation: "GET /servers", count: 2 },
      { operation: "GET /servers", count: 1 },
    ],
  }),
};
