/**
 * A text in a form in which equal instructions are equal: lower case, plain quotes, single spaces, without punctuation at
 * its ends.
 */
export function comparableText(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[’‘]/g, "'")
      .replaceAll(/[“”]/g, '"')
      .replaceAll(/\s+/g, ' ')
      // The lookbehind prevents trying each character of a run in the middle of the text.
      .replaceAll(/^[\s"'.!,;:-]+|(?<![\s"'.!,;:-])[\s"'.!,;:-]+$/g, '')
  );
}
