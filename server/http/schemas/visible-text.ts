/** Whether a text shows anything: not only spaces, controls and characters without a glyph (zero-width, direction). */
export function hasVisibleText(text: string): boolean {
  return /[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(text);
}
