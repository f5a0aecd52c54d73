import type { JsonValue } from '#server/core/json';

/*
 * Finds names in the inputs of tool calls. Every pattern is bounded, because the input of a tool can be a megabyte of
 * arbitrary text.
 */

/** Forms of names in running text, longer forms first. Text that one form matched is not matched again. */
const FORMS: readonly { readonly form: RegExp; readonly isOne?: (name: string) => boolean }[] = [
  { form: /\bhttps?:\/\/[^\s"'<>()[\]{}\\`|]{3,200}/g },
  { form: /(?<![\w./~@-])(?:~|\.{1,2})?\/?(?:[\w.@+-]{1,60}\/){1,14}[\w.@+-]{1,80}/g, isOne: isPath },
  { form: /(?<![\w./~@-])[\w-]{1,60}(?:\.[\w-]{1,30})?\.[a-z][a-z0-9]{0,4}(?![\w/(.])/g, isOne: isFileName },
  { form: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi },
  // A commit, a hash.
  { form: /(?<![\w./-])(?=[0-9a-f]{0,39}[a-f])(?=[0-9a-f]{0,39}[0-9])[0-9a-f]{7,40}(?![\w-])/g },
  // `pag_k7m2p9`, `ISSUE-1867`: letters, a separator, then something with a digit.
  { form: /(?<![\w-])[A-Za-z]{2,16}[_-](?=[a-zA-Z]{0,39}\d)[a-zA-Z0-9]{3,40}(?![\w-])/g },
  { form: /(?<![\w&])#\d{2,8}(?!\w)/g },
];
/** In a command or a pattern, quoted text counts as well. */
const LINE_FORMS: typeof FORMS = [...FORMS, { form: /(?<=(["'`]))[^"'`\n]{2,60}(?=\1)/g, isOne: isName }];
/** A word spelled like code: `camelCase`, `snake_case`. */
const IDENTIFIER = /(?<![\w$])[A-Za-z_$][\w$]{0,40}(?:[a-z0-9][A-Z]|_[A-Za-z])[\w$]{0,40}(?![\w$])/g;

/** Matches the extension of a file. */
const FILE_TYPE =
  /\.(?:[cm]?[jt]sx?|jsonl?|mdx?|py|rb|go|rs|java|kt|[ch](?:pp)?|cs|php|html?|s?css|sql|sh|ya?ml|toml|txt|csv|xml|svg|png|jpe?g|gif|webp|pdf|lock|rst|ini|cfg)$/;

/**
 * Maximum characters of a value that is a name as a whole: an id, a slug, a title, a search term. A choice, not
 * measured.
 */
const MAX_NAME_CHARS = 80;
/** Maximum words of such a value; more are a sentence. A choice, not measured. */
const MAX_NAME_WORDS = 3;
/** Maximum characters of a line that is read like a command; longer ones are content. A choice, not measured. */
const MAX_LINE_CHARS = 400;
/** Characters that are read of one text: names come first, content follows. A choice, not measured. */
const MAX_TEXT_CHARS = 4_000;
/** Characters that are read of all texts of a value. A choice, not measured. */
const MAX_CHARS = 20_000;
/** Values of a JSON value that are read, and how deep. */
const MAX_NODES = 2_000;
const MAX_DEPTH = 8;
/** Maximum names and identifiers of one input. */
const MAX_NAMES = 20;
const MAX_IDENTIFIERS = 60;

/**
 * Extracts names from the input of a tool call by their form, in order and without duplicates: short values as a whole;
 * addresses, paths and ids of longer values; and, separately, words that are spelled like code.
 */
export function namesIn(input: JsonValue) {
  const [names, identifiers] = [new Set<string>(), new Set<string>()];
  let [nodes, charsLeft] = [0, MAX_CHARS];
  const visit = (node: JsonValue, depth: number): void => {
    nodes += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH || charsLeft <= 0 || node === null) return;
    if (typeof node === 'object') return Object.values(node).forEach((item) => visit(item, depth + 1));
    if (typeof node !== 'string') return;
    const text = node.slice(0, Math.min(MAX_TEXT_CHARS, charsLeft));
    charsLeft -= text.length;
    if (isName(node)) names.add(node.trim());
    else {
      for (const name of namesInText(text)) names.add(name);
      for (const [word] of text.matchAll(IDENTIFIER)) identifiers.add(word);
    }
  };
  visit(input, 0);
  return { names: [...names].slice(0, MAX_NAMES), identifiers: [...identifiers].slice(0, MAX_IDENTIFIERS) };
}

/** Names in a longer text, by their form. */
function namesInText(text: string): string[] {
  const isLine = text.length <= MAX_LINE_CHARS && !text.includes('\n');
  const names: string[] = [];
  let rest = text;
  for (const { form, isOne } of isLine ? LINE_FORMS : FORMS) {
    rest = rest.replaceAll(form, (match) => {
      const name = match.replace(/[.,;:!?*]{1,5}$/, '');
      if (isOne?.(name) === false) return match;
      names.push(name);
      return ' ';
    });
  }
  return names;
}

/** True for a path; `and/or` is none. A path is absolute, has a file extension, or has at least three segments. */
function isPath(path: string): boolean {
  if (path.includes('//') || !/[a-z]/i.test(path)) return false;
  return /^(?:~|\.{0,2}\/)/.test(path) || FILE_TYPE.test(path) || path.split('/').length > 2;
}

/**
 * A word with a dot is a file name only if it ends like one, because sentences without a space after the dot are
 * common.
 */
function isFileName(name: string): boolean {
  return FILE_TYPE.test(name) && !/^[\d._-]*\.[a-z]+$/i.test(name);
}

/**
 * True for a text that is a name as a whole: short, on one line, with a letter or a currency in it, and not a sentence.
 */
function isName(text: string): boolean {
  const name = text.slice(0, MAX_NAME_CHARS * 2).trim();
  if (name.length > MAX_NAME_CHARS || text.length > MAX_NAME_CHARS * 2 || /[\n\r]/.test(name)) return false;
  return (name === '/' || /[\p{L}\p{Sc}]/u.test(name)) && name.split(/\s+/).length <= MAX_NAME_WORDS;
}
