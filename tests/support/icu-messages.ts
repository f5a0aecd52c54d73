/** What a message takes by a name: a text, a number, a time, an element around text, or one of several words. */
export type ArgumentKind = 'text' | 'number' | 'time' | 'element' | `select ${string}`;

/** Part of a message: literal text, or an argument or tag with its syntax. */
interface Piece {
  readonly isText: boolean;
  readonly source: string;
}

/**
 * Reads a message in ICU syntax: its arguments with their kinds, and its pieces in order.
 * @throws when braces do not match
 */
export function readMessage(message: string): {
  readonly args: ReadonlyMap<string, ArgumentKind>;
  readonly pieces: readonly Piece[];
} {
  const args = new Map<string, ArgumentKind>();
  const pieces: Piece[] = [];
  let at = 0;
  /** A message may choose by a number or a time, and also write it. */
  const use = (name: string, kind: ArgumentKind) => {
    const known = args.get(name);
    if (known?.startsWith('select') === true && kind.startsWith('select'))
      kind = selectOf([...wordsOf(known), ...wordsOf(kind)]);
    if (known !== 'number' && known !== 'time') args.set(name, kind === 'text' && known !== undefined ? known : kind);
  };
  const take = (pattern: RegExp) => {
    const found = new RegExp(pattern, 'y');
    found.lastIndex = at;
    const text = found.exec(message)?.[0] ?? '';
    at += text.length;
    if (text !== '') pieces.push({ isText: false, source: text });
    return text;
  };
  const expect = (pattern: RegExp) => {
    const text = take(pattern);
    if (text === '') throw new Error(`${String(pattern)} expected at ${String(at)} of ${message}`);
    return text;
  };
  const argument = () => {
    expect(/\{\s*/);
    const name = expect(/\w+/);
    take(/\s*/);
    if (take(/\}/)) {
      use(name, 'text');
      return;
    }
    const type = expect(/,\s*\w+\s*/).replaceAll(/[\s,]/g, '');
    if (type === 'plural' || type === 'selectordinal' || type === 'select') {
      expect(/,\s*/);
      const words: string[] = [];
      while (!take(/\s*\}/)) {
        words.push(expect(/\s*[^\s{}]+\s*/).trim());
        expect(/\{/);
        text('}');
        expect(/\}/);
      }
      use(name, type === 'select' ? selectOf(words) : 'number');
    } else {
      expect(/(?:,[^{}]*)?\}/);
      use(name, type === 'number' ? 'number' : 'time');
    }
  };
  /** Reads text up to the end, or to the brace that ends a branch. */
  const text = (end: string | undefined) => {
    while (at < message.length && message[at] !== end) {
      if (message[at] === '{') argument();
      else if (/^<\/?\w/.test(message.slice(at, at + 3))) {
        use(expect(/<\/?\w+>/).replaceAll(/[</>]/g, ''), 'element');
      } else if (!take(/#/)) {
        // An apostrophe quotes syntax: '{'.
        const [source] = /^(?:'[{}<>#][^']*'|[^{}<#]|<)/.exec(message.slice(at)) ?? [''];
        if (source === '') throw new Error(`Unexpected ${message[at]!} at ${String(at)} of ${message}`);
        pieces.push({ isText: true, source });
        at += source.length;
      }
    }
  };
  text(undefined);
  return { args, pieces };
}

/** The words by which a message chooses. */
export function wordsOf(kind: ArgumentKind): readonly string[] {
  return kind.split(' ').slice(1);
}

function selectOf(words: readonly string[]): ArgumentKind {
  return `select ${[...new Set(words)].toSorted().join(' ')}`;
}

/** The messages of a language, by their path: `sidebar.search`. */
export function messagePaths(messages: unknown, place = ''): [path: string, message: string][] {
  if (typeof messages === 'string') return [[place, messages]];
  return Object.entries(Object(messages) as object).flatMap(([key, inner]) =>
    messagePaths(inner, place === '' ? key : `${place}.${key}`),
  );
}

/** The same messages with other letters, as an invented language: `Library` becomes `Ļîƀŕåŕý`. */
export function pseudoMessages<T>(messages: T): T {
  if (typeof messages === 'string') {
    const { pieces } = readMessage(messages);
    return pieces.map(({ isText, source }) => (isText ? pseudoText(source) : source)).join('') as T;
  }
  return Object.fromEntries(
    Object.entries(Object(messages) as object).map(([key, inner]) => [key, pseudoMessages(inner as unknown)]),
  ) as T;
}

const LETTERS = new Map(
  Array.from('aeiouyAEIOUYnstlr', (letter, index) => [letter, 'åéîöûýÅÉÎÖÛÝñšţļŕ'.charAt(index)]),
);

function pseudoText(text: string): string {
  return Array.from(text, (letter) => LETTERS.get(letter) ?? letter).join('');
}
