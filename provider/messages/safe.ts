/** Text from outside, made safe to show and to paste. */

/** What a terminal obeys, what breaks a line, and what changes the direction of text. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** On one line, with a mark in place of each control character. */
export const visible = (text: string): string => text.replace(UNSAFE, "\uFFFD");

/** Whether it holds nothing that `visible` would mark. */
export const isVisible = (text: string): boolean => visible(text) === text;

/** One word of a shell: quoted so that nothing in it is run or taken for an option. */
export const shellWord = (text: string): string =>
  /^\w[\w.:=@/-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
