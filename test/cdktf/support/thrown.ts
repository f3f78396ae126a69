/** What a check throws; empty where it throws nothing. */
export function thrownBy(check: () => void): string {
  try {
    check();
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
