import type { NeedleKind } from '#tests/bench/context/bench-report';

/** Something exact that later work may need again. */
export interface Needle {
  readonly kind: NeedleKind;
  readonly text: string;
}

/*
 * What counts, by its form alone, independent of its author and of any approach:
 * - url: http(s) and what follows up to a space, quote or bracket;
 * - path: names joined by `/` that begin at a root, end like a file or have three parts, and single names of files;
 * - id: UUIDs, hexadecimal of 7 to 40 signs with a letter and a digit, letters and `_` or `-` before something with a
 *   digit (`pag_k7m2p9`, `ISSUE-1867`), `#` before digits;
 * - number: of three digits or more or with a decimal point, that is no part of the others.
 * Each pattern is bounded: texts may be a megabyte of anything.
 */
const URL_FORM = /\bhttps?:\/\/[^\s"'<>()[\]{}\\`|,]{3,300}/g;
const PATH_FORM = /(?<![\w./~@-])(?:~|\.{1,2})?\/?(?:[\w.@+-]{1,60}\/){1,14}[\w.@+-]{1,80}/g;
const FILE_FORM = /(?<![\w./~@-])[\w-]{1,60}\.(?:[a-z][a-z0-9]{0,3})(?![\w/(.])/g;
const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|json|jsonl|mdx?|py|rb|go|rs|java|kt|[ch](?:pp)?|cs|php|html?|s?css|sql|sh|ya?ml|toml|txt|csv|xml|svg|png|jpe?g|gif|webp|pdf|lock|rst|ini|cfg)$/;
const ID_FORMS = [
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /(?<![\w./-])(?=[0-9a-f]{0,39}[a-f])(?=[0-9a-f]{0,39}[0-9])[0-9a-f]{7,40}(?![\w-])/g,
  /(?<![\w./-])[A-Za-z]{2,16}[_-](?=[A-Za-z]{0,39}\d)[A-Za-z0-9]{3,40}(?![\w-])/g,
  /(?<![\w&])#\d{2,8}(?!\w)/g,
];
const NUMBER_FORM =
  /(?<![\w.,/#-])(?:\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,10})?|\d{3,15}(?:\.\d{1,10})?|\d{1,2}\.\d{1,10})(?![\w/-]|[.,]\d)/g;

/** The needles of a text, each once. */
export function findNeedles(text: string): Needle[] {
  const found = new Map<string, Needle>();
  let rest = text;
  const take = (kind: NeedleKind, form: RegExp, isOne: (match: string) => boolean = () => true): void => {
    rest = rest.replaceAll(form, (match) => {
      const needle = match.replace(/[.,;:!?*-]{1,5}$/, '');
      if (!isOne(needle)) return match;
      found.set(needle, { kind, text: needle });
      return ' ';
    });
  };
  take('url', URL_FORM);
  take('path', PATH_FORM, isPath);
  take('path', FILE_FORM, (name) => FILE_ENDING.test(name));
  for (const form of ID_FORMS) take('id', form);
  take('number', NUMBER_FORM);
  return [...found.values()];
}

/** `and/or` and `1/2` are none. */
function isPath(path: string): boolean {
  if (path.includes('//') || !/[a-z]/i.test(path)) return false;
  return /^(?:~|\.{0,2}\/)/.test(path) || FILE_ENDING.test(path) || path.split('/').length > 2;
}

/** Looks needles up in a text: only between characters that are no letters or digits. */
export function needleFinder(text: string): (needle: Needle) => boolean {
  const inText = new Set(findNeedles(text).map((needle) => needle.text));
  return ({ text: needle }) => inText.has(needle) || standsIn(text, needle);
}

/** Whether a name is in a text as a whole word. */
export function standsIn(text: string, needle: string): boolean {
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + needle.length] ?? ' ';
    if (!(/\w/.test(before) && /^\w/.test(needle)) && !/\w/.test(after)) return true;
  }
  return false;
}
