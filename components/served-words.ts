import { perLanguage, spoken, wordOf } from '#components/in-your-language.ts';
import { number } from '#components/format.ts';
import type { CodedMessage } from '#server/core/coded-message';
import { isCodedMessage } from '#server/core/message-data';
import type { MessageRenderer } from '#server/core/messages/render-message';
import { fieldName, sectionTypeName } from '#server/core/site/field-names';

/**
 * Translations of texts that the server writes in English because models also read them, or because they are stored.
 * Empty for English.
 */
export interface ServedWords {
  /** Descriptions of the settings, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Descriptions of the environment variables, by name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, { readonly name: string; readonly does: string }>>;
  /** Names of fields, site settings and kinds of sections, as used within sentences: `short description`. */
  readonly names: Readonly<Record<string, string>>;
  readonly and: string;
  /**
   * Sentences by the pattern of the English ones: `Renamed "{title}" to "{title2}"`. The first match is used. A name in
   * braces defines what it matches: `n` a number, `names` names from the table above, `title` a title without quotation
   * marks, `list` a list with items, `phrases` and `values` lists whose parts have one of those patterns, `said`
   * another sentence; otherwise any text.
   */
  readonly sentences: Readonly<Record<string, string>>;
  /** Refusals, by their patterns. */
  readonly refusals: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, string>>;
  readonly phrases: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
}

type Forms = 'sentences' | 'refusals' | 'lists' | 'phrases' | 'values';

interface Form {
  /** Matches a whole text. */
  readonly whole: RegExp;
  /** Matches the first part of a list, with the separator and the rest of the list as the last two groups. */
  readonly first: RegExp;
  readonly holes: readonly string[];
  readonly other: string;
}

/** The texts of the current language; null for English. */
export function served(): ServedWords | null {
  const { dictionary } = spoken();
  return dictionary === null ? null : (dictionary as { readonly served: ServedWords }).served;
}

const HOLE = /\{([a-z]+\d?)\}/g;
const patterns: Readonly<Record<string, string>> = {
  n: String.raw`([\d,.]+)`,
  names: '([^"]+?)',
  title: '([^"]+?)',
  list: '(the [^]+?)',
};

/**
 * Any text between quotation marks: first without quotation marks inside, since the next one may belong to another
 * value.
 */
const quotedTexts = ['([^"]*)', '([^]+?)'] as const;

const kindOf = (hole: string) => hole.replace(/\d$/, '');

function formOf([english, other]: readonly [string, string], quotedText: string): Form {
  const holes: string[] = [];
  const pieces = english.split(HOLE).map((piece, index, all) => {
    if (index % 2 === 0) return piece.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    holes.push(piece);
    const isQuoted = all[index - 1]?.endsWith('"') === true && all[index + 1]?.startsWith('"') === true;
    return patterns[kindOf(piece)] ?? (isQuoted ? quotedText : '([^]+?)');
  });
  const pattern = pieces.join('');
  return { whole: new RegExp(`^${pattern}$`), first: new RegExp(`^${pattern}(?:$|(, | and )([^]+)$)`), holes, other };
}

const forms = perLanguage(() => {
  const words = served();
  const of = (table: Forms) =>
    quotedTexts.flatMap((text) => Object.entries(words?.[table] ?? {}).map((entry) => formOf(entry, text)));
  return {
    sentences: of('sentences'),
    refusals: of('refusals'),
    lists: of('lists'),
    phrases: of('phrases'),
    values: of('values'),
  };
});

/** Longest sentence that is matched; characters. */
const MAX_LENGTH = 1_000;

/** Parameters that are English sentences of parts of the server without codes. */
const SENTENCES = ['text', 'reason'] as const;

/**
 * A sentence of the server in the current language: by its code, else by its English text, which older rows alone have.
 * English is the text itself.
 */
export function localizedText(message: CodedMessage | null | undefined, text: string): string {
  return rendered(message) ?? inYourWords(text);
}

/** The reason for a refusal in the current language, by its code in the response, else by its English text. */
export function refusalText(reason: unknown, message: string): string {
  const coded = isCodedMessage(reason) ? rendered(reason) : null;
  return coded ?? refusalInYourWords(message);
}

function rendered(message: CodedMessage | null | undefined): string | null {
  const { dictionary } = spoken();
  if (dictionary === null || !message) return null;
  const { renderMessage } = dictionary as { readonly renderMessage: MessageRenderer };
  const sentences = SENTENCES.flatMap((name) => {
    const param = message.params[name];
    return typeof param === 'string' ? [[name, inYourWords(param)]] : [];
  });
  const params = { ...message.params, ...Object.fromEntries(sentences) };
  return renderMessage({ ...message, params });
}

/** A sentence of the server in the current language; unchanged if no pattern matches. */
export function inYourWords(text: string): string {
  const words = served();
  return (words && text.length <= MAX_LENGTH ? oneOf('sentences', text, words) : null) ?? text;
}

/** The server's reason for a refusal in the current language; unchanged if no pattern matches. */
export function refusalInYourWords(message: string): string {
  const words = served();
  return (words && message.length <= MAX_LENGTH ? oneOf('refusals', message, words) : null) ?? message;
}

function oneOf(table: Forms, text: string, words: ServedWords): string | null {
  for (const form of forms()[table]) {
    const found = form.whole.exec(text);
    const said = found && filled(form, found.slice(1), words);
    if (said !== null) return said;
  }
  return null;
}

/** The translated sentence with the values of the English one; null if a value has no translation. */
function filled({ holes, other }: Form, found: readonly string[], words: ServedWords): string | null {
  const parts = new Map(holes.map((hole, index) => [hole, partOf(kindOf(hole), found[index] ?? '', words)]));
  if ([...parts.values()].includes(null)) return null;
  return other.replaceAll(HOLE, (_, hole: string) => parts.get(hole) ?? '');
}

function partOf(kind: string, text: string, words: ServedWords): string | null {
  switch (kind) {
    case 'n':
      return number.format(Number(text.replaceAll(',', '')));
    case 'names':
      return namesOf(text, words);
    case 'list':
      return oneOf('lists', text, words);
    case 'said':
      return oneOf('sentences', text, words);
    case 'phrases':
    case 'values':
      return listOf(kind, text.charAt(0).toLowerCase() + text.slice(1), words);
    default:
      return text;
  }
}

/** `heading, body and short description`. */
function namesOf(text: string, words: ServedWords): string | null {
  const names = text.split(/(, | and )/).map((part, index) => {
    if (index % 2 === 1) return part === ', ' ? part : words.and;
    return wordOf(words.names, part) ?? null;
  });
  return names.includes(null) ? null : names.join('');
}

/** A list as English joins it, each part translated by its pattern. */
function listOf(table: 'phrases' | 'values', text: string, words: ServedWords): string | null {
  for (const form of forms()[table]) {
    const found = form.first.exec(text);
    if (found === null) continue;
    const [joint, rest] = found.slice(form.holes.length + 1);
    const first = filled(form, found.slice(1, form.holes.length + 1), words);
    const others = first === null || rest === undefined ? '' : listOf(table, rest, words);
    if (first !== null && others !== null) return first + (joint === undefined ? '' : joint === ', ' ? joint : words.and) + others; // prettier-ignore
  }
  return null;
}

/** The translation of a name; the text itself if it is not a known name. */
export function named(text: string): string {
  const words = served();
  return (words && wordOf(words.names, text)) ?? text;
}

/** The name of a field or site setting within a sentence. */
export function fieldInWords(field: string): string {
  return named(fieldName(field));
}

/** The name of a type of section within a sentence. */
export function sectionInWords(type: string): string {
  return named(sectionTypeName(type));
}
