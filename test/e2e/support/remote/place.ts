/** One state's place in a store, with what each engine needs to find it. */
export interface Place {
  /** What the guide's block leaves to the environment of Terraform and OpenTofu. */
  readonly terraform: Readonly<Record<string, string>>;
  readonly pulumi: Readonly<Record<string, string>>;
  /** All that is kept there, as text; nothing of it is left in base64. */
  content(): Promise<string>;
}

/** A server that keeps states until it is closed. */
export interface Store {
  /** A place that nobody else has. @param name letters, digits and hyphens */
  place(name: string): Promise<Place>;
  close(): Promise<void>;
}
