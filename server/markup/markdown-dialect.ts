import { parse } from 'micromark';
import { gfm } from 'micromark-extension-gfm';
import remarkGfm from 'remark-gfm';
import type { Plugin } from 'unified';

type Extension = ReturnType<typeof gfm>;
type ConstructMap = NonNullable<Extension['text']>;
type Construct = Extract<NonNullable<ConstructMap[string]>, { tokenize: unknown }>;
type Tokenize = Construct['tokenize'];
type State = ReturnType<Tokenize>;
type Code = Parameters<State>[0];
type Token = ReturnType<Parameters<Tokenize>[0]['exit']>;

const ASTERISK = 42;
const SPACE = 32;

/** Scripts written without spaces between words. */
const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const ASCII = /^[\x20-\x7e]$/;

interface Neighbour {
  readonly isSpace: boolean;
  readonly isPunctuation: boolean;
  /** An opening bracket: a run of marks after it cannot close anything. */
  readonly isOpening: boolean;
  /** A closing bracket: a run of marks before it cannot open anything. */
  readonly isClosing: boolean;
  readonly isUnspaced: boolean;
  readonly isAscii: boolean;
}

function neighbour(code: Code): Neighbour {
  // Codes of line endings and tabs are negative, the ends of the text are null.
  const character = code === null || code < 0 ? ' ' : String.fromCharCode(code);
  return {
    isSpace: /\s/.test(character),
    isPunctuation: PUNCTUATION.test(character),
    isOpening: /\p{Ps}/u.test(character),
    isClosing: /\p{Pe}/u.test(character),
    isUnspaced: UNSPACED_SCRIPT.test(character),
    isAscii: ASCII.test(character),
  };
}

/**
 * True if a run of marks may begin (or, with the neighbours exchanged, end) emphasis.
 *
 * CommonMark refuses a run between a letter and punctuation, so that `**20 €**pro Stück`, `**„Wort“**artig` and
 * `**「重要」**です` are shown literally. Here, punctuation and symbols outside ASCII do not count, and scripts without
 * spaces count as a word boundary, as in https://github.com/tats-u/markdown-cjk-friendly.
 */
function canBegin(inside: Neighbour, outside: Neighbour): boolean {
  if (inside.isSpace) return false;
  if (!inside.isPunctuation || outside.isSpace || outside.isPunctuation) return true;
  return !inside.isAscii || outside.isUnspaced;
}

/** Wraps the construct for runs of `*` or `~~`, so that emphasis also works next to punctuation of other scripts. */
function nextToAnyScript(construct: Construct): Construct {
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      const before = neighbour(this.previous);
      let token: Token | undefined;
      const exit: typeof effects.exit = (type) => (token = effects.exit(type));
      const decided: State = (code) => {
        if (token !== undefined) {
          const after = neighbour(code);
          // Everything that CommonMark allows stays allowed.
          token._open ||= !after.isClosing && canBegin(after, before);
          token._close ||= !before.isOpening && canBegin(before, after);
        }
        return ok(code);
      };
      return construct.tokenize.call(this, { ...effects, exit }, decided, nok);
    },
  };
}

/**
 * Characters that end a bare address, in addition to white space and `<`: quotation marks, and the full-width
 * punctuation of Chinese, Japanese and Korean, where no space follows the address. The middle dot of Japanese names is
 * not one of them.
 */
const ENDS_ADDRESS =
  /[«»‘’‚‛“”„‟‹›…\u3001-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff64]/;

/** The last character code that the tokenizer received, and the nesting depth of calls of its states. */
interface Input {
  code: Code;
  depth: number;
}

/** Wraps a construct and the constructs that it tries: their states read a space in place of a character that ends an address. */
function endedWithin(construct: Construct, input: Input): Construct {
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      let isDone = false;
      const leave =
        (next: State): State =>
        () => {
          isDone = true;
          return next(input.code);
        };
      const limited =
        (state: State): State =>
        (code) => {
          // A construct that is tried starts with the code that the surrounding state received.
          if (input.depth === 0) input.code = code;
          const { code: real } = input;
          input.depth += 1;
          const isEnd = real !== null && real > 0 && ENDS_ADDRESS.test(String.fromCharCode(real));
          const next = state(isEnd ? SPACE : real);
          input.depth -= 1;
          return isDone || next === undefined ? next : limited(next);
        };
      const wrapped: typeof effects = {
        ...effects,
        attempt: (parts, onOk, onNok) => effects.attempt(endedWithin(parts as Construct, input), onOk, onNok),
        check: (parts, onOk, onNok) => effects.check(endedWithin(parts as Construct, input), onOk, onNok),
      };
      return limited(construct.tokenize.call(this, wrapped, leave(ok), leave(nok)));
    },
  };
}

/** The construct of a bare address, for which a character that ends the address is replaced by a space. */
function endedByPunctuation(construct: Construct): Construct {
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      return endedWithin(construct, { code: null, depth: 0 }).tokenize.call(this, effects, ok, nok);
    },
  };
}

const WRAPPERS: Readonly<Record<string, (construct: Construct) => Construct>> = {
  strikethrough: nextToAnyScript,
  protocolAutolink: endedByPunctuation,
  wwwAutolink: endedByPunctuation,
  emailAutolink: endedByPunctuation,
};

const listOf = (constructs: ConstructMap[string]): Construct[] =>
  constructs === undefined ? [] : Array.isArray(constructs) ? constructs : [constructs];

/** micromark's own construct for `*`, which it does not export otherwise. */
const emphasis = listOf(parse().constructs.text[ASTERISK]).find(({ name }) => name === 'attention');

/**
 * The Markdown syntax of this product, the same for site, chat, editor and WordPress blocks: GitHub's, except that a
 * single tilde is a character (`20~30 €`), that punctuation of other scripts ends a bare address, and that emphasis
 * works next to such punctuation.
 */
export function markdownSyntax(): Extension {
  const extension = gfm({ singleTilde: false });
  const text: ConstructMap = {};
  for (const [code, constructs] of Object.entries(extension.text ?? {})) {
    text[code] = listOf(constructs).map((construct) => WRAPPERS[construct.name ?? '']?.(construct) ?? construct);
  }
  text[ASTERISK] = [...listOf(text[ASTERISK]), ...(emphasis === undefined ? [] : [nextToAnyScript(emphasis)])];
  return { ...extension, text };
}

interface MarkdownOptions {
  /** Fills the cells of written tables with spaces, to the same width in each column. Default true. */
  readonly alignsTables?: boolean;
}

/**
 * Plugin of unified for {@link markdownSyntax}. Only the parser finds addresses: those that remark-gfm finds afterwards
 * in the text, for example in words with escaped marks, are not shown as links by the site.
 */
export const remarkMarkdown: Plugin<[MarkdownOptions?]> = function ({ alignsTables = true } = {}) {
  remarkGfm.call(this, { singleTilde: false, tablePipeAlign: alignsTables });
  const data = this.data();
  data.micromarkExtensions?.splice(-1, 1, markdownSyntax());
  data.fromMarkdownExtensions = (data.fromMarkdownExtensions ?? [])
    .flat()
    .map(({ transforms: _transforms, ...extension }) => extension);
};

/** Options of remark-stringify: the style in which this product writes Markdown. */
export const markdownStyle = { bullet: '-', emphasis: '*', fences: true, rule: '-', listItemIndent: 'one' } as const;
