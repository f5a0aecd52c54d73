/**
 * Text as it is compared: lower case, without accents. Positions stay those of `text` where that is possible
 * (composed characters), so that a match can be shown in the original.
 */
export function foldText(text: string): string {
  const folded = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return folded.length === text.length ? folded : text.toLowerCase();
}
