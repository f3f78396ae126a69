/** What a twin says of itself, on every answer. */
import { TWIN_HEADER, twinText, type TwinOf } from "../../provider/contract";

/** Empty for a plain emulator. */
export const twinHeaders = (of: TwinOf | undefined): Record<string, string> =>
  of ? { [TWIN_HEADER]: twinText(of) } : {};
