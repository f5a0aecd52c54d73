import { perLanguage, spoken } from '#components/in-your-language.ts';
import { number } from '#components/format.ts';

/**
 * Translations of texts that the server writes in English because models also read them, or because they are stored.
 * Empty for English.
 */
export interface ServedWords {
  /**
   * Sentences by the pattern of the English ones: `Renamed "{title}" to "{title2}"`. The first match is used. A name in
   * braces defines what it matches: `n` a number, `title` a title without quotation marks; otherwise any text.
   */
  readonly sentences: Readonly<Record<string, string>>;
  /** Refusals, by their patterns. */
  readonly refusals: Readonly<Record<string, string>>;
}

type Forms = 'sentences' | 'refusals';

interface Form {
  /** Matches a whole text. */
  readonly whole: RegExp;
  readonly holes: readonly string[];
  readonly other: string;
}

/** The texts of the current language; null for English. */
function served(): ServedWords | null {
  const { dictionary } = spoken();
  return dictionary === null ? null : (dictionary as { readonly served: ServedWords }).served;
}

const HOLE = /\{([a-z]+\d?)\}/g;
const patterns: Readonly<Record<string, string>> = {
  n: String.raw`([\d,.]+)`,
  title: '([^"]+?)',
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
  return { whole: new RegExp(`^${pattern}$`), holes, other };
}

const forms = perLanguage(() => {
  const words = served();
  const of = (table: Forms) =>
    quotedTexts.flatMap((text) => Object.entries(words?.[table] ?? {}).map((entry) => formOf(entry, text)));
  return {
    sentences: of('sentences'),
    refusals: of('refusals'),
  };
});

/** Longest sentence that is matched; characters. */
const MAX_LENGTH = 1_000;

/** A sentence of the server in the current language; unchanged if no pattern matches. */
export function inYourWords(text: string): string {
  const words = served();
  return (words && text.length <= MAX_LENGTH ? oneOf('sentences', text) : null) ?? text;
}

/** The server's reason for a refusal in the current language; unchanged if no pattern matches. */
export function refusalInYourWords(message: string): string {
  const words = served();
  return (words && message.length <= MAX_LENGTH ? oneOf('refusals', message) : null) ?? message;
}

function oneOf(table: Forms, text: string): string | null {
  for (const form of forms()[table]) {
    const found = form.whole.exec(text);
    if (found) return filled(form, found.slice(1));
  }
  return null;
}

/** The translated sentence with the values of the English one. */
function filled({ holes, other }: Form, found: readonly string[]): string {
  const parts = new Map(holes.map((hole, index) => [hole, partOf(kindOf(hole), found[index] ?? '')]));
  return other.replaceAll(HOLE, (_, hole: string) => parts.get(hole) ?? '');
}

function partOf(kind: string, text: string): string {
  return kind === 'n' ? number.format(Number(text.replaceAll(',', ''))) : text;
}
