import type { Element, RootContent } from 'hast';
import { isPreformatted } from '#server/wordpress/blocks/block-reader';
import type { SourceEdits } from '#server/wordpress/blocks/source/source-edits';
import { type Range, rangeOf, tagsOf } from '#server/wordpress/blocks/source/source-places';
import { changedParts } from '#server/markup/changed-parts';
import { attribute, isElement, storable } from '#server/markup/html-tree';
import { charactersOf } from '#server/markup/visible-text';
import { escapeText, htmlOf } from '#server/markup/write-html';

/** Rules to compare and write running text. */
export interface Wording {
  /** Name of the mark that an element puts on its words (`strong`); null: no mark that counts here. */
  markOf(element: Element): string | null;
  /** The address of a link or a picture in its source notation. */
  addressOf(element: Element): string;
  /** The opening tag of a new mark. */
  openingOf(element: Element): string;
  /**
   * A line break in the notation of the source: in content without blocks the end of a line; a space where line breaks
   * are impossible.
   */
  readonly lineBreak: '<br>' | '\n' | ' ';
  /** Replaces the file of a picture. @returns false if this is impossible */
  replacePicture(former: Element, latter: Element, edits: SourceEdits): boolean;
}

/** A part of a text that is within one node. */
interface Piece {
  /** The elements around it, outermost first, within the run only. */
  readonly chain: readonly Element[];
  readonly range: Range;
}

/** A word, white space, a line break or a picture. */
interface Token {
  /** Tokens with equal keys are equal. */
  readonly key: string;
  /** Marks, in a fixed order. */
  readonly marks: readonly string[];
  /** The elements around its beginning. */
  readonly chain: readonly Element[];
  readonly node: RootContent;
  /** Its text; empty if it has none. */
  readonly text: string;
  /** Positions in the source; several for a word with marks in the middle. Null: it is not from the source. */
  readonly pieces: readonly Piece[] | null;
}

const BREAK = '<br>';
const WORD = /[\p{L}\p{N}\p{M}]+|\s+|[^]/gu;
/** For preformatted text, in which every space counts. */
const EXACT_WORD = /[\p{L}\p{N}\p{M}]+|[^]/gu;
const IN_WORD = /^[\p{L}\p{N}\p{M}]+$/u;

/** A line break that Markdown cannot have in this place: compared as a space, and not changed. */
export function softBreak(br: Element): Element {
  return { ...br, properties: { ...br.properties, dataSoft: true } };
}

function isSoft({ properties }: Element): boolean {
  return properties['dataSoft'] === true;
}

interface Place {
  readonly chain: readonly Element[];
  readonly marks: readonly string[];
  readonly isExact: boolean;
}

function textTokens(
  node: Extract<RootContent, { type: 'text' }>,
  { chain, marks, isExact }: Place,
  { lineBreak }: Wording,
  raw: string | null,
): Token[] {
  const range = rangeOf(node);
  const characters = raw === null || range === null ? null : charactersOf(raw, range, node.value);
  const places: Range[] = (characters ?? []).flatMap(({ text, start, end }) =>
    Array.from({ length: text.length }, (_, n) => ({ start: n === 0 ? start : end, end })),
  );
  return [...node.value.matchAll(isExact ? EXACT_WORD : WORD)].flatMap(({ 0: written, index }): Token[] => {
    const text = storable(written);
    if (text === '') return [];
    const isBlank = text.trim() === '' && !text.includes('\u00a0');
    const isBreak = raw !== null && lineBreak === '\n' && isBlank && !isExact && text.includes('\n');
    const key = isBreak ? BREAK : isBlank && !isExact ? ' ' : text;
    const place = { start: places[index]?.start ?? -1, end: places[index + written.length - 1]?.end ?? -1 };
    return [{ key, marks, chain, node, text, pieces: characters === null ? null : [{ chain, range: place }] }];
  });
}

/** True for a word that continues in the next node, under marks that do not count. */
function isSameWord(one: Token, other: Token, wording: Wording): boolean {
  const isWord = IN_WORD.test(one.key) && IN_WORD.test(other.key);
  const isSameLink = linkIn(one.chain, wording) === linkIn(other.chain, wording);
  return isWord && isSameLink && one.marks.join('\n') === other.marks.join('\n');
}

/** The tokens of some nodes. @param raw source of the nodes, if they have one */
export function tokensOf(nodes: readonly RootContent[], wording: Wording, raw: string | null): Token[] {
  const walk = (node: RootContent, place: Place): Token[] => {
    if (node.type === 'text') return textTokens(node, place, wording, raw);
    if (!isElement(node)) return [];
    const { chain, marks } = place;
    const range = raw === null ? null : rangeOf(node);
    const atom = { marks, chain, node, text: '', pieces: range === null ? null : [{ chain, range }] };
    if (node.tagName === 'br' && place.isExact) return [{ ...atom, key: '\n', text: '\n' }];
    if (node.tagName === 'br') return [{ ...atom, key: wording.lineBreak === ' ' || isSoft(node) ? ' ' : BREAK }];
    if (node.tagName === 'img') return [{ ...atom, key: '<img>' }];
    const mark = wording.markOf(node);
    const inside = {
      chain: [...chain, node],
      marks: mark === null || marks.includes(mark) ? marks : [...marks, mark].toSorted(),
      isExact: place.isExact || isPreformatted(node),
    };
    return node.children.flatMap((child) => walk(child, inside));
  };
  const tokens: Token[] = [];
  for (const token of nodes.flatMap((node) => walk(node, { chain: [], marks: [], isExact: false }))) {
    const last = tokens.at(-1);
    if (last === undefined || !isSameWord(last, token, wording)) tokens.push(token);
    else {
      const pieces = last.pieces === null || token.pieces === null ? null : [...last.pieces, ...token.pieces];
      tokens[tokens.length - 1] = { ...last, key: last.key + token.key, text: last.text + token.text, pieces };
    }
  }
  return tokens;
}

function isSpace({ key }: Token): boolean {
  return key.trim() === '' && key !== '\u00a0';
}

/**
 * Removes tokens that show nothing: white space and line breaks at both ends, white space next to line breaks or white
 * space; for preformatted text only the line breaks at its end.
 */
function trimmed(tokens: readonly Token[]): Token[] {
  const isLoose = (token: Token | undefined) =>
    token !== undefined && isSpace(token) && !token.chain.some(isPreformatted);
  const isEdge = (token: Token | undefined) => token === undefined || token.key === BREAK;
  const isFirst = (token: Token) => !isLoose(token) && token.key !== BREAK;
  const isLast = (token: Token) => isFirst(token) && token.key !== '\n';
  const inside = tokens.slice(tokens.findIndex(isFirst), tokens.findLastIndex(isLast) + 1);
  const single = inside.filter((token, at) => !isLoose(token) || !isLoose(inside[at - 1]));
  return single.filter((token, at) => !isLoose(token) || !(isEdge(single[at - 1]) || isEdge(single[at + 1])));
}

function sameToken(one: Token, other: Token): boolean {
  return one.key === other.key && one.marks.join('\n') === other.marks.join('\n');
}

/** The link around words, if links count. */
function linkIn(chain: readonly Element[], wording: Wording): Element | undefined {
  return chain.findLast((element) => element.tagName === 'a' && wording.markOf(element) !== null);
}

function elementsAround({ chain, pieces }: Token): readonly Element[] {
  return pieces === null ? chain : pieces.flatMap((piece) => piece.chain);
}

/** A place where new words can be inserted. */
interface Spot {
  readonly at: number;
  readonly chain: readonly Element[];
}

/** Removed and added tokens between two words that are kept. */
interface Hunk {
  readonly removed: Token[];
  readonly added: Token[];
  readonly before: Token | undefined;
  readonly after: Token | undefined;
}

function hunksOf(from: readonly Token[], to: readonly Token[]): { hunks: Hunk[]; kept: [Token, Token][] } {
  const kept: [Token, Token][] = [];
  const hunks: Hunk[] = [];
  let [was, is] = [0, 0];
  let open: Hunk | undefined;
  const hunk = (): Hunk => (open ??= { removed: [], added: [], before: from[was - 1], after: undefined });
  const close = () => {
    if (open !== undefined) hunks.push({ ...open, after: from[was] });
    open = undefined;
  };
  for (const { kind, items } of changedParts(from, to, sameToken)) {
    if (kind === 'same') close();
    for (let n = 0; n < items.length; n += 1) {
      if (kind === 'same') kept.push([from[was + n]!, to[is + n]!]);
      if (kind === 'removed') hunk().removed.push(from[was + n]!);
      if (kind === 'added') hunk().added.push(to[is + n]!);
    }
    if (kind !== 'added') was += items.length;
    if (kind !== 'removed') is += items.length;
  }
  close();
  return { hunks, kept };
}

/** A run of words with the same marks, in the same link. */
interface Wanted {
  readonly tokens: Token[];
  readonly marks: readonly string[];
  readonly link: Element | undefined;
}

function grouped(tokens: readonly Token[], wording: Wording): Wanted[] {
  const groups: Wanted[] = [];
  for (const token of tokens) {
    const last = groups.at(-1);
    const link = linkIn(token.chain, wording);
    const isMore = last !== undefined && last.link === link && last.marks.join('\n') === token.marks.join('\n');
    if (isMore) last.tokens.push(token);
    else groups.push({ tokens: [token], marks: token.marks, link });
  }
  return groups;
}

/** Edits a run of text so that it contains other words. */
class RunPatch {
  readonly #edits: SourceEdits;
  readonly #wording: Wording;
  /** The new link of each old link that still has words. */
  readonly #links = new Map<Element, Element>();
  readonly #run: Range;
  readonly #used = new Set<Element>();

  constructor(edits: SourceEdits, wording: Wording, run: Range) {
    this.#edits = edits;
    this.#wording = wording;
    this.#run = run;
  }

  patch(from: readonly Token[], to: readonly Token[]): boolean {
    const { hunks, kept } = hunksOf(from, to);
    for (const [old, token] of kept) {
      for (const element of elementsAround(old)) this.#used.add(element);
      if (!this.#keepLink(old, token)) return false;
    }
    if (!hunks.every((hunk) => this.#applyHunk(hunk))) return false;
    if (!kept.every(([old, token]) => this.#keepPicture(old, token))) return false;
    for (const [old, latter] of this.#links) {
      const address = this.#wording.addressOf(latter);
      if (this.#wording.addressOf(old) !== address && !this.#edits.setAttribute(old, 'href', 'href', address))
        return false;
    }
    const emptied = new Set(from.flatMap(elementsAround).filter((element) => !this.#used.has(element)));
    return [...emptied].every((element) => this.#removeTags(element));
  }

  /** The words of one old link may only belong to one new link. */
  #keepLink(old: Token, token: Token): boolean {
    const [former, latter] = [old, token].map(({ chain }) => linkIn(chain, this.#wording));
    if (former === undefined || latter === undefined) return former === latter;
    const known = this.#links.get(former);
    this.#links.set(former, latter);
    return known === undefined || known === latter;
  }

  #keepPicture({ node: old }: Token, { node }: Token): boolean {
    if (!isElement(old, 'img') || !isElement(node, 'img')) return true;
    const [was, is] = [old, node].map((image) => attribute(image, 'alt') ?? '');
    if (was !== is && !this.#edits.setAttribute(old, 'alt', 'alt', is ?? '')) return false;
    return (
      this.#wording.addressOf(old) === this.#wording.addressOf(node) ||
      this.#wording.replacePicture(old, node, this.#edits)
    );
  }

  #applyHunk({ removed, added, before, after }: Hunk): boolean {
    for (const { pieces } of removed) {
      if (pieces === null) return false;
      for (const { range } of pieces) this.#edits.replace(range, '');
    }
    if (added.length === 0) return true;
    if ([before, after].some((token) => token?.pieces === null)) return false;
    const spots = this.#spots(removed, before, after);
    let from = -1;
    for (const wanted of grouped(added, this.#wording)) {
      const spot = this.#spotFor(wanted, spots, from);
      if (spot === undefined) return false;
      from = spot.at;
      for (const element of spot.chain) this.#used.add(element);
      const link = linkIn(spot.chain, this.#wording);
      if (link !== undefined && wanted.link !== undefined) this.#links.set(link, wanted.link);
      this.#edits.insert(spot.at, this.#written(wanted, spot));
    }
    return true;
  }

  /** Places between two kept words, the best first: at removed words, after the kept words before, around elements. */
  #spots(removed: readonly Token[], before: Token | undefined, after: Token | undefined): Spot[] {
    const [last, next] = [before?.pieces?.at(-1), after?.pieces?.[0]];
    const low = last?.range.end ?? this.#run.start;
    const high = next?.range.start ?? this.#run.end;
    const pieces = removed.flatMap((token) => token.pieces ?? []);
    const around = [...pieces, last, next].flatMap((piece) =>
      (piece?.chain ?? []).flatMap((element, depth) => {
        const range = rangeOf(element);
        const chain = piece?.chain.slice(0, depth) ?? [];
        return range === null
          ? []
          : [
              { at: range.end, chain },
              { at: range.start, chain },
            ];
      }),
    );
    const ends = [
      { at: low, chain: last?.chain ?? [] },
      { at: high, chain: next?.chain ?? [] },
    ];
    // The first words of code go into its `<code>`, which does not count as a mark there.
    const isCode = last === undefined && next?.chain.some(isPreformatted) === true;
    const spots = [
      ...pieces.map(({ range, chain }) => ({ at: range.start, chain })),
      ...(isCode ? ends.toReversed() : ends),
      ...around,
    ];
    return spots.filter(({ at }) => at >= low && at <= high);
  }

  #spotFor({ marks, link }: Wanted, spots: readonly Spot[], from: number): Spot | undefined {
    const open = spots.filter(({ at }) => at >= from);
    const has = ({ chain }: Spot) => this.#marksOf(chain);
    const fits = (spot: Spot) => {
      const present = linkIn(spot.chain, this.#wording);
      const taken = present === undefined ? undefined : this.#links.get(present);
      return present === undefined || (link !== undefined && (taken === undefined || taken === link));
    };
    const exact = open.find((spot) => fits(spot) && has(spot).join('\n') === marks.join('\n'));
    if (exact !== undefined) return exact;
    const within = open
      .filter((spot) => fits(spot) && has(spot).every((mark) => marks.includes(mark)))
      .toSorted((a, b) => has(b).length - has(a).length);
    return within[0] ?? open[0];
  }

  #marksOf(chain: readonly Element[]): string[] {
    return [...new Set(chain.flatMap((element) => this.#wording.markOf(element) ?? []))].toSorted();
  }

  /** The words with the marks that their place lacks; marks of the place that they do not have are closed. */
  #written({ tokens, marks }: Wanted, { chain }: Spot): string {
    const isWrong = (element: Element) => {
      const mark = this.#wording.markOf(element);
      return mark !== null && !marks.includes(mark);
    };
    const first = chain.findIndex(isWrong);
    const closed = first < 0 ? [] : chain.slice(first);
    const present = this.#marksOf(first < 0 ? chain : chain.slice(0, first));
    const missing = (tokens[0]?.chain ?? []).filter((element) => {
      const mark = this.#wording.markOf(element);
      return mark !== null && !present.includes(mark);
    });
    const words = tokens.map((token) => this.#wordsOf(token)).join('');
    const opening = missing.map((element) => this.#wording.openingOf(element));
    const closing = opening.map((tag) => `</${/^<([\w-]+)/.exec(tag)?.[1] ?? ''}>`).toReversed();
    const reopened = closed.map((element) => {
      const tag = tagsOf(element)?.opening;
      return tag === undefined ? '' : this.#edits.raw.slice(tag.start, tag.end);
    });
    return [
      ...closed.map(({ tagName }) => `</${tagName}>`).toReversed(),
      ...opening,
      words,
      ...closing,
      ...reopened,
    ].join('');
  }

  #wordsOf({ key, node, text }: Token): string {
    if (key === BREAK) return this.#wording.lineBreak;
    if (isElement(node) && node.tagName !== 'br')
      return htmlOf([{ ...node, properties: { ...node.properties, src: this.#wording.addressOf(node) } }]);
    return escapeText(key === ' ' ? ' ' : text);
  }

  /** Removes the tags of an element that has lost all its words; other content of the element is kept. */
  #removeTags(element: Element): boolean {
    const tags = tagsOf(element);
    if (tags === null) return false;
    this.#edits.replace(tags.opening, '');
    if (tags.closing !== null) this.#edits.replace(tags.closing, '');
    return true;
  }
}

/**
 * Changes a run of text in a source to the content of other nodes: kept words keep their bytes, and so do all tags
 * around them.
 * @param run position of the nodes in the source
 * @returns false if this is impossible
 */
export function patchWords(
  from: readonly RootContent[],
  to: readonly RootContent[],
  run: Range,
  edits: SourceEdits,
  wording: Wording,
): boolean {
  const [old, latter] = [trimmed(tokensOf(from, wording, edits.raw)), trimmed(tokensOf(to, wording, null))];
  return new RunPatch(edits, wording, run).patch(old, latter);
}
