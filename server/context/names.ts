import type { JsonValue } from '#server/core/json';

/* Every pattern is bounded: a tool's input may be a megabyte of anything. */

/** Forms of names in running text, the longer ones first: what one has taken is not looked at by the next. */
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
/** In a line that the model wrote by hand, a command or a pattern, also what is quoted. */
const LINE_FORMS: typeof FORMS = [...FORMS, { form: /(?<=(["'`]))[^"'`\n]{2,60}(?=\1)/g, isOne: isName }];
/** A word that is spelt like code: `camelCase`, `snake_case`. */
const IDENTIFIER = /(?<![\w$])[A-Za-z_$][\w$]{0,40}(?:[a-z0-9][A-Z]|_[A-Za-z])[\w$]{0,40}(?![\w$])/g;

const FILE_TYPE =
  /\.(?:[cm]?[jt]sx?|jsonl?|mdx?|py|rb|go|rs|java|kt|[ch](?:pp)?|cs|php|html?|s?css|sql|sh|ya?ml|toml|txt|csv|xml|svg|png|jpe?g|gif|webp|pdf|lock|rst|ini|cfg)$/;

/** A value as short as this that is no sentence names something: an id, a slug, a title, a word looked for. */
const MAX_NAME_CHARS = 80;
const MAX_NAME_WORDS = 3;
/** A longer line is content. */
const MAX_LINE_CHARS = 400;
/** Characters read of one text, and of all of a value: names stand at the beginning, contents follow. */
const MAX_TEXT_CHARS = 4_000;
const MAX_CHARS = 20_000;
const MAX_NODES = 2_000;
const MAX_DEPTH = 8;
const MAX_NAMES = 20;
const MAX_IDENTIFIERS = 60;

/**
 * Reads the names that a model wrote into a call, by their form alone and in order, each once: short values whole, of
 * longer ones addresses, paths and ids; and apart from them the words that are spelt like code.
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

/** `and/or` is not a path: a path is absolute, has a file's ending or at least three segments. */
function isPath(path: string): boolean {
  if (path.includes('//') || !/[a-z]/i.test(path)) return false;
  return /^(?:~|\.{0,2}\/)/.test(path) || FILE_TYPE.test(path) || path.split('/').length > 2;
}

/** A word with a dot is a file only where it ends like one: sentences without a space are many. */
function isFileName(name: string): boolean {
  return FILE_TYPE.test(name) && !/^[\d._-]*\.[a-z]+$/i.test(name);
}

/** Short, on one line, with a letter or a currency in it, and not a sentence. */
function isName(text: string): boolean {
  const name = text.slice(0, MAX_NAME_CHARS * 2).trim();
  if (name.length > MAX_NAME_CHARS || text.length > MAX_NAME_CHARS * 2 || /[\n\r]/.test(name)) return false;
  return (name === '/' || /[\p{L}\p{Sc}]/u.test(name)) && name.split(/\s+/).length <= MAX_NAME_WORDS;
}
