/** What is mailed about a rotation that nobody asked for. Assumption: Rotation by the service. */
export interface Mail {
  /** When it was sent, by the emulator's clock. */
  readonly at: string;
  /** The key's `notification_email`. */
  readonly to: string;
  readonly subject: string;
  readonly old_key: { readonly id: string; readonly expires_at: string };
  /** Nobody else is shown this value. */
  readonly new_key: { readonly id: string; readonly value: string };
}
