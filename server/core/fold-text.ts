/**
 * Converts a text to the form in which searches and filters compare texts: ignores case in all scripts (Ä, Я, É; ß is
 * ss, ς is σ) and treats composed and decomposed characters alike (Unicode's NFC and NFD, full-width forms too).
 * Accents count: é is not e. Folding a folded text changes nothing.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const small = text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return small.normalize('NFC');
}

// oxlint-disable-next-line no-control-regex -- all of ASCII
const isAscii = (text: string) => /^[\u0000-\u007f]*$/.test(text);

/**
 * Accents and vowel points of scripts in which readers leave them out when they search. In other scripts (Devanagari,
 * Thai, Japanese) such marks are letters.
 */
const ACCENTS = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}])\p{Mn}+/gu;

/** Like `foldText`, and removes accents: é becomes e, ё becomes е. For searches that prefer one result too many. */
export function foldAccents(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return foldText(text).normalize('NFD').replace(ACCENTS, '$1').normalize('NFC');
}
