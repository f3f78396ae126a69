/** Why a call got no answer: the connection, the time, or the caller. */
import { PAGE } from "./calls";
import { define, type Message } from "../message";

/** Where requests go: the base address, and the origin of the proxy where there is one. */
export interface At {
  readonly address: string;
  readonly proxy?: string | undefined;
}

const where = ({ address, proxy }: At): string =>
  proxy === undefined ? address : `${address} by way of the proxy ${proxy}`;

const CHECK_PROXY = "Check HTTPS_PROXY and HTTP_PROXY, and that the proxy is running.";

export interface BaseAddress {
  readonly baseUrl: string;
}

const ERP: BaseAddress = { baseUrl: "https://erp.example.com/v1" };
const DIRECT: At = { address: "https://erp.example/v1" };
const PROXIED: At = { ...DIRECT, proxy: "http://proxy.example:3128" };

export const connectionMessages = {
  configured_before: define<{ first: BaseAddress; now: BaseAddress }>({
    when: "A plugin process that works for one account is configured for another address or key.",
    summary: "Configured before",
    text: ({ first, now }) =>
      first.baseUrl === now.baseUrl
        ? `this process works for the account at ${first.baseUrl}, and was now given another key`
        : `this process works for the account at ${first.baseUrl}, and was now given the address ${now.baseUrl}`,
    remedy: () =>
      "Every provider with an address or a key of its own needs its own process: start another one.",
    examples: [
      { first: ERP, now: { baseUrl: "https://other.example.com/v1" } },
      { first: ERP, now: ERP },
    ],
  }),
  connection_failed: define<At & { detail: string }>({
    when: "The connection to the service fails.",
    summary: "Connection failed",
    text: ({ detail, ...at }) => `the connection to ${where(at)} failed: ${detail}`,
    remedy: ({ proxy }, { setting }) =>
      `Check the network${proxy === undefined ? "" : ", the proxy"} and ${setting("baseUrl")}, then try again.`,
    examples: [
      { ...DIRECT, detail: "ECONNRESET: read ECONNRESET" },
      { ...PROXIED, detail: "UND_ERR_ABORTED: Proxy response (502) !== 200 when HTTP Tunneling" },
    ],
  }),
  connection_refused: define<At & { code: string }>({
    when: "Nothing listens at the address of the service, or at that of the proxy.",
    summary: "Connection refused",
    text: ({ code, address, proxy }) =>
      proxy === undefined
        ? `nothing listens at ${address} (${code})`
        : `nothing listens at the proxy ${proxy}, used for ${address} (${code})`,
    remedy: ({ proxy }, { setting }) =>
      proxy === undefined
        ? `Check host and port in ${setting("baseUrl")}, and that the service is running.`
        : CHECK_PROXY,
    examples: [
      { address: "http://127.0.0.1:4010/v1", code: "ECONNREFUSED" },
      { ...PROXIED, code: "ECONNREFUSED" },
    ],
  }),
  host_unknown: define<At & { code: string }>({
    when: "The host of the service, or of the proxy, cannot be found.",
    summary: "Unknown host",
    text: ({ code, address, proxy }) =>
      proxy === undefined
        ? `the host of ${address} cannot be found (${code})`
        : `the host of the proxy ${proxy}, used for ${address}, cannot be found (${code})`,
    remedy: ({ proxy }, { setting }) =>
      proxy === undefined
        ? `Check ${setting("baseUrl")} for a typo, and the network.`
        : CHECK_PROXY,
    examples: [
      { address: "https://erp.exmaple/v1", code: "ENOTFOUND" },
      { address: "https://erp.example/v1", proxy: "http://prxy.example:3128", code: "EAI_AGAIN" },
    ],
  }),
  tls_failed: define<At & { code: string }>({
    when: "What answers at an https address does not speak TLS, or not a version that is known.",
    summary: "No TLS",
    text: ({ code, ...at }) => `${where(at)} does not answer with TLS (${code})`,
    remedy: (_, { setting }) =>
      `Check host and port in ${setting("baseUrl")}: https is spoken on another port than http.`,
    examples: [{ address: "https://erp.example:8080/v1", code: "ERR_SSL_WRONG_VERSION_NUMBER" }],
  }),
  certificate_untrusted: define<At & { code: string; detail: string }>({
    when: "The certificate of the service is not trusted.",
    summary: "Certificate not trusted",
    text: ({ detail, ...at }) => `the certificate of ${where(at)} is not trusted: ${detail}`,
    remedy: ({ code }, { setting }) =>
      code === "ERR_TLS_CERT_ALTNAME_INVALID"
        ? `The certificate is for another host: check ${setting("baseUrl")}.`
        : code === "CERT_HAS_EXPIRED"
          ? "It has to be renewed by whoever runs the service."
          : "Trust the issuer of the certificate with NODE_EXTRA_CA_CERTS.",
    examples: [
      {
        address: "https://erp.example/v1",
        code: "DEPTH_ZERO_SELF_SIGNED_CERT",
        detail: "DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate",
      },
      {
        address: "https://erp.example/v1",
        code: "CERT_HAS_EXPIRED",
        detail: "CERT_HAS_EXPIRED: certificate has expired",
      },
      {
        address: "https://192.0.2.1/v1",
        code: "ERR_TLS_CERT_ALTNAME_INVALID",
        detail: "ERR_TLS_CERT_ALTNAME_INVALID: Hostname/IP does not match certificate's altnames",
      },
    ],
  }),
  no_answer: define<{ address: string; detail: string }>({
    when: "An attempt gets no answer in time.",
    summary: "No answer",
    text: ({ address, detail }) => `${detail} from ${address}`,
    remedy: (_, { setting }) =>
      `Check ${setting("baseUrl")}, the network and the proxy, or raise ${setting("timeout")}.`,
    examples: [{ address: "https://erp.example/v1", detail: "no complete answer within 30000 ms" }],
  }),
  ended_after: define<{ end: Message; error: string; why: Message }>({
    when: "A call runs out of time after attempts that failed.",
    summary: "Time limit reached",
    text: ({ end, error, why }, { say }) =>
      `${say(end)}; the last attempt failed with ${error}: ${say(why)}`,
    remedy: ({ end, why }, { remedy }) => remedy(why) || remedy(end),
    examples: [
      {
        end: { code: "retry_too_late", parts: { waitMs: 20_000 } },
        error: "502 internal_error",
        why: { code: "unknown_response", parts: { ...PAGE, status: 502, retryable: true } },
      },
      {
        end: { code: "time_is_up", parts: { timeoutMs: 5_000 } },
        error: "409 idempotency_in_flight",
        why: { code: "service_failed", parts: { quoted: "still running", retryable: false } },
      },
    ],
  }),
  client_closed: define({
    when: "A call is made on a closed client.",
    summary: "Client closed",
    text: () => "the client was closed",
  }),
  call_aborted: define({
    when: "The caller's signal ends a call.",
    summary: "Aborted",
    text: () => "the caller aborted the call",
  }),
  call_aborted_open: define({
    when: "A call is ended although an earlier attempt may have succeeded.",
    summary: "Aborted",
    text: () => "the call was aborted, and an earlier attempt may have succeeded",
  }),
  run_interrupted: define({
    when: "The run is interrupted before a call changed anything.",
    summary: "Interrupted",
    text: () => "the run was interrupted before this call changed anything",
  }),
  walk_abandoned: define({
    when: "All callers that waited for a shared reading of a list have given up.",
    summary: "Aborted",
    text: () => "nobody waits for this list any more",
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
