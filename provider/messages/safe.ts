/** Text from outside, made safe to show and to paste. */

/** What a terminal obeys, what breaks a line, and what changes the direction of text. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** On one line, with a mark in place of each control character. */
export const visible = (text: string): string => text.replace(UNSAFE, "\uFFFD");

/** Whether it holds nothing that `visible` would mark. */
export const isVisible = (text: string): boolean => visible(text) === text;

/** A key of the service. Quotes and brackets end it, so that the text around it stays readable. */
export const SERVICE_KEY =
  /(?<![A-Za-z0-9-])[A-Za-z0-9-]+_(?:live|test)_[^\s"'`<>()[\]{}\p{C}]{4,}/gu;

/** What a person looks an object up by: as an id it may be the value of a key. */
export const lookedUpBy = (by: string, value: string): string =>
  /(?:^|_)id$/.test(by) ? value.replace(SERVICE_KEY, "[redacted]") : value;

/** One word of a shell: quoted so that nothing in it is run or taken for an option. */
export const shellWord = (text: string): string =>
  /^\w[\w.:=@/-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
