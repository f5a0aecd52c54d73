/** A text as it is compared with others: without case, outer punctuation and doubled spaces. */
export function comparable(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[’‘]/g, "'")
      .replaceAll(/[“”]/g, '"')
      .replaceAll(/\s+/g, ' ')
      // The look back keeps it from trying each character of a row that stands in the middle.
      .replaceAll(/^[\s"'.!,;:-]+|(?<![\s"'.!,;:-])[\s"'.!,;:-]+$/g, '')
  );
}
