import type { JsonValue } from '#server/core/json';

/* Every pattern is bounded: a tool's input or output may be a megabyte of anything. */

const HTTP_URL = /\bhttps?:\/\/[^\s"'<>()[\]{}\\`|]{3,200}/g;
const FILE_PATH = /(?<![\w./~@-])(?:~|\.{1,2})?\/?(?:[\w.@+-]{1,60}\/){1,14}[\w.@+-]{1,80}/g;
const FILE_NAME = /(?<![\w./~@-])[\w-]{1,60}(?:\.[\w-]{1,30})?\.[a-z][a-z0-9]{0,4}(?![\w/])/g;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** `pag_k7m2p9`, `msg-01h8x4`: letters, a separator, then something with a digit. */
const PREFIXED_ID = /(?<![\w-])[a-z]{2,8}[_-](?=[a-z]{0,39}\d)[a-zA-Z0-9]{4,40}(?![\w-])/g;
/** A word with a dot is a file only where it ends like one: sentences without a space are many. */
const FILE_TYPE =
  /\.(?:tsx?|jsx?|mjs|cjs|json|md|mdx|py|rb|go|rs|java|kt|c|h|cpp|cs|php|html?|css|scss|sql|sh|ya?ml|toml|txt|csv|xml|svg|png|jpe?g|gif|webp|pdf|lock|rst|ini)$/;

/** Keys whose values name something. */
const NAMING_KEY =
  /^(?:ids?|key|slugs?|urls?|uri|href|link|permalink|paths?|files?|file_?name|file_?path|dir|directory|folder|branch|repo|repository|sha|commit|handle)$|(?:_ids?|Ids?|ID|_url|Url|_path|Path|_slug|Slug)$/;
/** Ids of a request or revision name nothing that one could work on. */
const PASSING_KEY = /^(?:change|revision|request|trace|span|session|message|tool_?call|event|correlation|run)_?ids?$/i;
/** Keys of shell commands, whose words may be names. */
export const COMMAND_KEY = /^(?:command|commands|cmd|args?|script)$/i;

const MAX_NAME_CHARS = 200;
/** Longer keys are no words that we know. */
const MAX_KEY_CHARS = 60;
/** Characters of one text that are read: names stand at its beginning, contents follow. */
const MAX_TEXT_CHARS = 4_000;
/** The same for all texts of one value together. */
const MAX_CHARS = 20_000;
const MAX_NODES = 2_000;
const MAX_DEPTH = 8;

/**
 * Ids, URLs, file paths and slugs in a JSON value, in order, each once: values under keys that say so, and the words
 * of commands.
 * @param insideTexts also read texts under other keys, such as answers
 */
export function findNames(value: JsonValue, { insideTexts }: { readonly insideTexts: boolean }): string[] {
  const names = new Set<string>();
  let nodes = 0;
  let charsLeft = MAX_CHARS;
  const readText = (text: string): void => {
    const read = text.slice(0, Math.min(MAX_TEXT_CHARS, charsLeft));
    charsLeft -= read.length;
    for (const name of namesInText(read)) names.add(name);
  };
  const visit = (node: JsonValue, key: string, depth: number): void => {
    nodes += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH || node === null || PASSING_KEY.test(key)) return;
    if (Array.isArray(node)) {
      for (const item of node.slice(0, MAX_NODES)) visit(item, key, depth + 1);
    } else if (typeof node === 'object') {
      for (const [name, item] of Object.entries(node)) visit(item, name.slice(-MAX_KEY_CHARS), depth + 1);
    } else if (typeof node === 'string' || typeof node === 'number') {
      const text = String(node);
      if (NAMING_KEY.test(key) && isName(text)) names.add(text.trim());
      else if (insideTexts || COMMAND_KEY.test(key)) readText(text);
    }
  };
  visit(value, '', 0);
  return [...names];
}

/** Ids, URLs and file paths in running text, by kind, each once. Reads its first 4,000 characters. */
export function namesInText(text: string): string[] {
  const read = text.slice(0, MAX_TEXT_CHARS);
  const urls = (read.match(HTTP_URL) ?? []).map((url) => url.replace(/[.,;:!?*]{1,5}$/, ''));
  const rest = read.replaceAll(HTTP_URL, ' ');
  const paths = (rest.match(FILE_PATH) ?? []).filter(isPath).map((path) => path.replace(/[.,]{1,3}$/, ''));
  const ids = [UUID, PREFIXED_ID].flatMap((pattern) => rest.match(pattern) ?? []);
  const files = (rest.match(FILE_NAME) ?? []).filter(
    (name) => FILE_TYPE.test(name) && !/^[\d._-]*\.[a-z]+$/i.test(name),
  );
  return [...new Set([...urls, ...paths, ...ids, ...files])];
}

/** `and/or` is not a path: a path is absolute, has a file's ending or at least three segments. */
function isPath(path: string): boolean {
  if (path.includes('//') || !/[a-z]/i.test(path)) return false;
  return /^(?:~|\.{0,2}\/)/.test(path) || FILE_TYPE.test(path) || path.split('/').length > 2;
}

/** Short, on one line, and not a sentence. */
function isName(text: string): boolean {
  if (text.length > MAX_NAME_CHARS || /[\n\r]/.test(text)) return false;
  const words = text.trim().split(' ');
  return words[0] !== '' && words.length <= 3;
}
