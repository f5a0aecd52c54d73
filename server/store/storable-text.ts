/**
 * Text for a plain text column. The driver cuts a string at a NUL character, so NULs become U+FFFD, the same that
 * half surrogate pairs become. (JSON columns escape both and need no help.)
 */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed();
}
