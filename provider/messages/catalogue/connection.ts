/** Why a call got no answer: the connection, the time, or the caller. */
import { define } from "../message";

export const connectionMessages = {
  connection_failed: define<{ detail: string }>({
    when: "The connection to the service fails.",
    summary: "Connection failed",
    text: ({ detail }) => `the connection failed: ${detail}`,
    remedy: () => "Check the base address, the network and the proxy, then try again.",
    examples: [{ detail: "ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:4010" }],
  }),
  certificate_untrusted: define<{ detail: string }>({
    when: "The certificate of the service is not trusted.",
    summary: "Certificate not trusted",
    text: ({ detail }) => `the connection failed: ${detail}`,
    remedy: () => "Trust the issuer of the certificate with NODE_EXTRA_CA_CERTS.",
    examples: [{ detail: "DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate" }],
  }),
  no_answer: define<{ detail: string }>({
    when: "An attempt gets no answer in time.",
    summary: "No answer",
    text: ({ detail }) => detail,
    remedy: (_, { setting }) =>
      `Check the base address, the network and the proxy, or raise ${setting("timeout")}.`,
    examples: [{ detail: "no answer within 30000 ms" }],
  }),
  client_closed: define<object>({
    when: "A call is made on a closed client.",
    summary: "Client closed",
    text: () => "the client was closed",
    examples: [{}],
  }),
  call_aborted: define<object>({
    when: "The caller's signal ends a call.",
    summary: "Aborted",
    text: () => "the caller aborted the call",
    examples: [{}],
  }),
  call_aborted_open: define<object>({
    when: "A call is ended although an earlier attempt may have succeeded.",
    summary: "Aborted",
    text: () => "the call was aborted, and an earlier attempt may have succeeded",
    examples: [{}],
  }),
  run_interrupted: define<object>({
    when: "The run is interrupted before a call changed anything.",
    summary: "Interrupted",
    text: () => "the run was interrupted before this call changed anything",
    examples: [{}],
  }),
  walk_abandoned: define<object>({
    when: "All callers that waited for a shared reading of a list have given up.",
    summary: "Aborted",
    text: () => "nobody waits for this list any more",
    examples: [{}],
  }),
  time_is_up: define<{ timeoutMs: number }>({
    when: "A call takes longer than its time limit.",
    summary: "Time limit reached",
    text: ({ timeoutMs }) => `the call took longer than ${timeoutMs} ms`,
    remedy: () => "Allow more time, or try again later.",
    examples: [{ timeoutMs: 5_000 }],
  }),
  retry_too_late: define<{ waitMs: number }>({
    when: "The next attempt would come after the time limit of the call.",
    summary: "Time limit reached",
    text: ({ waitMs }) =>
      `the next attempt would be in ${waitMs} ms, after the time limit of the call`,
    remedy: () => "Allow more time, or try again later.",
    examples: [{ waitMs: 20_000 }],
  }),
  pause_too_long: define<{ seconds: number }>({
    when: "The service asks for a pause that is longer than the time limit of the call.",
    summary: "Time limit reached",
    text: ({ seconds }) =>
      `the service asked for a pause of ${seconds} s, longer than the time limit of the call`,
    remedy: () => "Allow more time, or try again later.",
    examples: [{ seconds: 60 }],
  }),
};
