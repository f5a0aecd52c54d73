/** What an answer has to say, and what it must not. Each is a token: a word, number, id, address or short phrase. */
export interface Expected {
  readonly all: readonly string[];
  readonly none?: readonly string[];
}

export interface Score {
  readonly right: boolean;
  /** What would have been right, in words. */
  readonly expected: string;
  /** What was said or done instead of it, or as well. */
  readonly given: string;
}

/** An answer is right if it has every expected token, each as a whole, and none of the wrong ones. */
export function scoreAnswer(answer: string, { all, none = [] }: Expected): Score {
  const text = normalize(answer);
  const missing = all.filter((token) => !hasToken(text, normalize(token)));
  const wrong = none.filter((token) => hasToken(text, normalize(token)));
  const expected = [listed(all), ...(none.length === 0 ? [] : [`not ${listed(none)}`])].join(', ');
  const problems = [
    ...(missing.length === 0 ? [] : [`without ${listed(missing)}`]),
    ...(wrong.length === 0 ? [] : [`with ${listed(wrong)}`]),
  ];
  // What expects nothing proves nothing.
  const right = problems.length === 0 && all.length > 0;
  return { right, expected, given: [...problems, answer].join(': ') };
}

/** Something done is right if nothing is wrong with what is in the database after it. */
export function scoreWork(expected: string, problems: readonly string[]): Score {
  return { right: problems.length === 0, expected, given: problems.length === 0 ? expected : problems.join('; ') };
}

/** Case, kinds of spaces and dashes, quotation marks, and marks of Markdown make no difference. */
export function normalize(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‐‑‒–—−]/g, '-')
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/[*`"“”„«»]|\\(?=[\p{P}\p{S}])/gu, '')
    .replaceAll(/(?<!\p{L})'|'(?!\p{L})/gu, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s.,;:!?]+|[\s.,;:!?]+$/g, '');
}

/** Whether it stands there by itself, not as a piece of a longer word, number, id or address. Both normalized. */
function hasToken(text: string, token: string): boolean {
  if (token === '') return false;
  for (let at = text.indexOf(token); at !== -1; at = text.indexOf(token, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at);
    const after = text.slice(at + token.length, at + token.length + 2);
    if (!GOES_ON_BEFORE.test(before) && !GOES_ON_AFTER.test(after)) return true;
  }
  return false;
}

const GOES_ON_BEFORE = /[\p{L}\p{N}][-_.@]?$/u;
const GOES_ON_AFTER = /^[-_.@/]?[\p{L}\p{N}]/u;

function listed(tokens: readonly string[]): string {
  return tokens.map((token) => `"${token}"`).join(', ');
}
