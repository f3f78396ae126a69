/** The time of synthesis, where a program passes in no other. */
export const now = (): Date => new Date();
