/** Pulumi's engine, as far as the plugin talks to it: messages for the person. */
import type { EngineLog, Message } from "./engine-log";

export interface Host {
  log(message: Message): void;
  /** Resolves when everything logged so far has arrived. */
  flushed(): Promise<void>;
  close(): void;
}

/** @param address of the engine; without one (a debugger started us) messages go to `other` */
export function connectHost(address: string | undefined, other: (text: string) => void): Host {
  if (address === undefined || address === "") {
    return {
      log: ({ severity, text }) => other(`${severity}: ${text}`),
      flushed: () => Promise.resolve(),
      close: () => undefined,
    };
  }
  const pending = new Set<Promise<void>>();
  let log: Promise<EngineLog> | undefined;
  return {
    log: (message) => {
      // Loaded when there is something to say: Pulumi's SDK comes with it.
      log ??= import("./engine-log.js").then(({ openEngineLog }) => openEngineLog(address));
      const sent = log.then((engine) => engine.send(message)).finally(() => pending.delete(sent));
      pending.add(sent);
    },
    flushed: async () => {
      await Promise.all(pending);
    },
    close: () => void log?.then((engine) => engine.close()),
  };
}
