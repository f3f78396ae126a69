/** Every message there is, by its code. A new one is one entry in one of these files. */
import { inputMessages } from "./input";

export const catalogue = { ...inputMessages } as const;
