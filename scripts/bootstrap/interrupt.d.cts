/** Registers what removes what a signal would leave behind. Returns how to unregister it. */
export function onInterrupt(cleanup: () => void): () => void;
/** Runs what is registered at a signal, then exits. Returns how to stop listening. */
export function listenForInterrupts(): () => void;
