/** What is shown of webhook endpoints and of the messages for them. */

/** An endpoint as it is shown, without its secret. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
  /** Null: every event. */
  readonly events: readonly string[] | null;
  /** Whether it answered 410 and receives nothing more. */
  readonly disabled: boolean;
  readonly created_at: string;
}

/** What has become of a message. */
export type DeliveryState = "pending" | "delivered" | "failed" | "dropped";

/** One message to one endpoint. */
export interface Delivery {
  readonly seq: number;
  /** The same on every attempt and for every endpoint of one event. */
  readonly id: string;
  readonly endpoint_id: string;
  readonly event: string;
  /** The JSON text that is signed and sent. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the next attempt is due, by the emulator's clock. */
  readonly due_ms: number;
  readonly last_status: number | null;
  readonly last_problem: string | null;
}

/** What an endpoint is registered with. */
export interface NewEndpoint {
  readonly url: string;
  readonly events?: readonly string[] | undefined;
  readonly secret?: string | undefined;
}
