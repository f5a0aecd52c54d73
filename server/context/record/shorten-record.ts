import { type RecordLine, type RecordTurn, shown, textOf } from '#server/context/record/record';
import { FOLD_TOKENS, groupOutcomes, REFUSED, spelled, sumOf } from '#server/context/record/group-outcomes';
import type { Message } from '#server/core/conversation/messages';
import { recallIdOf } from '#server/core/conversation/parts';
import { excerptTokens, type CountTokens, newestWithin } from '#server/core/text/excerpt';

/*
 * Writes the record within its tokens. Everything in it has several forms, from a short one to the whole text, and each
 * form belongs to a layer. Layers get tokens in the order of `LAYERS`, each from the newest entry to the oldest, so what is
 * last in this list is shortened first, beginning with the oldest entries.
 */

/** Limits of a record. */
export interface RecordBounds {
  readonly tokens: number;
  /** Tokens for the user's words, before anything else is written in detail. */
  readonly words: number;
  /** Tokens of one message. Longer messages are replaced by an excerpt. */
  readonly message: number;
  /** Ids of messages that stay in the view. */
  readonly inView: ReadonlySet<string>;
  /** Ids of messages with a preference that the user has not confirmed. Their words get tokens first, up to a share. */
  readonly unfolded: ReadonlySet<string>;
  /** True if tools can find what is folded. */
  readonly hasRecall: boolean;
  readonly count: CountTokens;
}

/** A layer: what its forms show. */
type Layer =
  /** The user's words in messages with a preference that is not confirmed. */
  | 'unconfirmed'
  /** The user's words, longer messages as their first and last words. */
  | 'words'
  /** One short line for each outcome; older ones in groups. */
  | 'outcomes'
  /** That a request got no complete answer. */
  | 'endings'
  /** The names in the calls of a conversation without a journal. */
  | 'names'
  /** What outcomes changed, without what was replaced or undone since. */
  | 'changes'
  /** What short requests chose from. */
  | 'offers'
  /** Longer messages, whole. */
  | 'longWords'
  /** What was attached and asked. */
  | 'notes'
  /** Longer messages, whole, whose text was placed on the site. */
  | 'placedWords'
  /** What calls without a journal did. */
  | 'calls'
  /** Values that were replaced, and changes that were undone. */
  | 'replaced'
  /** Calls that only read or failed. */
  | 'passing';

/** Share of the record for the details of the newest changes, before older words and one line for each older outcome. */
const CHANGES_SHARE = 0.1;
/** The most of the record that groups of outcomes take before words. Things that do not fit are counted. */
const GROUPS_SHARE = 0.25;
/** The most of the record that groups of names take before the oldest words. A choice, not measured. */
const NAMES_SHARE = 0.15;

/**
 * The most of the tokens for words that messages with unconfirmed preferences get in full, because there may be many of
 * them that nobody ever confirms. A choice, not measured.
 */
const UNCONFIRMED_SHARE = 0.5;

/**
 * The layers in the order in which they get tokens. `share`: the most that a layer gets, of the tokens of the record, or
 * of those for words.
 */
const LAYERS: readonly { readonly layer: Layer; readonly share?: number }[] = [
  { layer: 'unconfirmed', share: UNCONFIRMED_SHARE },
  { layer: 'words' },
  { layer: 'outcomes' },
  { layer: 'endings' },
  { layer: 'changes', share: CHANGES_SHARE },
  { layer: 'words' },
  { layer: 'names' },
  { layer: 'offers', share: 0.1 },
  { layer: 'longWords' },
  { layer: 'changes' },
  { layer: 'notes' },
  { layer: 'placedWords' },
  // What is left is better used for the newest turns word for word.
  { layer: 'calls', share: 0.25 },
  { layer: 'replaced', share: 0.1 },
  { layer: 'passing', share: 0.05 },
];

/** One way to show an entry. */
interface Form {
  readonly layer: Layer;
  /** Empty: there is none. */
  text(): string;
  /** The names that it states, if these are all that it states. */
  readonly names?: readonly string[];
}

/** Something that the record shows in one of several forms. */
interface Entry {
  /** From the shortest to the whole. Before them the form of the layer `unconfirmed`, until this layer is filled. */
  forms: readonly Form[];
  /** Position of the form that is shown; -1: none. */
  at: number;
  text: string;
  /** Tokens of the text. */
  cost: number;
  readonly turn: TurnState;
}

/** What the entries of a turn share. */
interface TurnState {
  readonly number: number;
  /** The turn has words that can be shown or folded. */
  readonly hasWords: boolean;
  isShown: boolean;
  /** Its number stands before its lines, because its words are folded. */
  isNumbered: boolean;
}

/** Tokens of the number of a turn on a line of its own. */
const NUMBER_TOKENS = 4;

/** A turn while it is written. */
interface TurnEntries {
  readonly turn: TurnState;
  readonly words: Entry;
  readonly lines: readonly { readonly line: RecordLine; readonly entry: Entry }[];
}

/**
 * The record as text: under the number of each turn the words of the user and what was done. The first request is stated
 * elsewhere. If not everything fits, entries are shortened in the order of the layers, and the number of folded entries
 * is stated.
 */
export function writeRecord(turns: readonly RecordTurn[], bounds: RecordBounds): string {
  const { count, hasRecall, tokens } = bounds;
  // With its line break, which often belongs to the last token of a line.
  const cost = (text: string) => (text === '' ? 0 : count(`${text}\n`));
  const room = tokens - FOLD_TOKENS;
  const first = turns.findIndex(({ request }) => request !== null);
  const named = new Set<string>();
  const entries = turns
    .toReversed()
    .map((turn, index): TurnEntries => {
      const number = turns.length - index - first;
      const forms = number > 1 && turn.request ? wordForms(turn, number, bounds) : [];
      const state = { number, hasWords: forms.length > 0, isShown: false, isNumbered: false };
      return {
        turn: state,
        words: entryOf(forms, state),
        lines: turn.lines.toReversed().map((line) => ({ line, entry: entryOf(lineForms(line, named), state) })),
      };
    })
    .toReversed()
    .map((each) => ({ ...each, lines: each.lines.toReversed() }));
  const newestFirst = entries.toReversed();
  const lineEntries = newestFirst.flatMap(({ lines }) => lines.toReversed());
  const all = newestFirst.flatMap(({ words, lines }) => [words, ...lines.toReversed().map(({ entry }) => entry)]);
  const outcomes = lineEntries.filter(({ line }) => line.kind === 'outcome');

  let left = room;
  // Outcomes outlive everything: at least their groups keep their tokens.
  const groupTokens = Math.max(room * GROUPS_SHARE, Math.min(room, FOLD_TOKENS));
  const groups = sumOf(
    groupOutcomes(
      outcomes.map(({ line }) => line),
      groupTokens,
      cost,
    ),
    cost,
  );
  const calls = lineEntries.filter(({ entry }) => entry.forms[0]?.layer === 'names');
  const names = sumOf(groupNames(calls, room * NAMES_SHARE, cost), cost);
  let words = Math.min(bounds.words, Math.max(0, room * (1 - CHANGES_SHARE) - groups - names));
  const grouped: string[] = [];
  for (const { layer, share = 1 } of LAYERS) {
    if (layer === 'outcomes' || layer === 'names') {
      const kept =
        layer === 'names'
          ? keepNames(calls, left, cost)
          : keepOutcomes(outcomes, Math.max(Math.min(left, groupTokens), left - CHANGES_SHARE * room), cost);
      grouped.push(...kept.groups);
      left -= kept.tokens;
      words = left - names;
      continue;
    }
    const used = fill(all, layer, Math.min(left, share * (WORDS.has(layer) ? words : room)), cost);
    if (layer === 'unconfirmed') for (const entry of all) endUnconfirmed(entry);
    left -= used;
    if (WORDS.has(layer)) words -= used;
  }
  const folded = entries.filter(({ words: { forms, at } }) => forms.length > 0 && at === -1).length;
  const lines = lineEntries.filter(({ entry }) => entry.forms.length > 0 && entry.at === -1).length;
  const counts = Object.entries({ 'earlier request': folded, line: lines }).filter(([, number]) => number > 0);
  const counted = counts.map(([of, number]) => `${number} ${of}${number === 1 ? '' : 's'}`).join(' and ');
  const found = hasRecall ? '; search_history finds them' : '';
  const note = [counted && `folded here: ${counted}${found}`, grouped.length > 0 && 'done for earlier requests:']
    .filter(Boolean)
    .join('; ');
  const written = entries.flatMap(({ turn, words: said, lines: done }, index) => {
    const texts = done.map(({ entry }) => entry.text).filter((text) => text !== '');
    const number = turn.hasWords && texts.length > 0 ? `${turn.number}:` : '';
    return [
      index === first ? '1: (the original task)' : said.text || number,
      ...texts,
      ...(index === Math.max(0, first) ? [note && `(${note})`, ...grouped] : []),
    ];
  });
  return written.filter((line) => line !== '').join('\n');
}

const entryOf = (forms: readonly Form[], turn: TurnState): Entry => ({ forms, at: -1, text: '', cost: 0, turn });

/** Tokens of the number before a line of a turn whose words are folded, once for each turn. */
const numberTokens = ({ hasWords, isShown, isNumbered }: TurnState) =>
  hasWords && !isShown && !isNumbered ? NUMBER_TOKENS : 0;

/** Shows an entry in one of its forms. */
function show(entry: Entry, at: number, text: string, cost: number): void {
  Object.assign(entry, { at, text, cost });
  if (entry.forms[0] && WORDS.has(entry.forms[0].layer)) entry.turn.isShown = true;
  else if (!entry.turn.isShown) entry.turn.isNumbered = true;
}

/** Layers of the user's words. */
const WORDS: ReadonlySet<Layer> = new Set(['unconfirmed', 'words']);
/** Layers whose lines say nothing without the words of their turn. */
const BESIDE_WORDS: ReadonlySet<Layer> = new Set(['endings', 'notes', 'offers']);

/** Shows the entries of a layer in its form, in this order, until one does not fit. @returns the tokens that it took */
function fill(entries: readonly Entry[], layer: Layer, tokens: number, cost: (text: string) => number): number {
  let left = tokens;
  for (const entry of entries) {
    const at = entry.at + 1;
    const form = entry.forms[at];
    if (form?.layer !== layer) continue;
    if (BESIDE_WORDS.has(layer) && entry.turn.hasWords && !entry.turn.isShown) continue;
    const text = form.text();
    if (text === entry.text) continue;
    const tokensOfText = cost(text);
    const more = tokensOfText - entry.cost + (WORDS.has(layer) ? 0 : numberTokens(entry.turn));
    if (text === '' || more > left) break;
    left -= more;
    show(entry, at, text, tokensOfText);
  }
  return tokens - left;
}

/** After the layer `unconfirmed`: a message that fitted stays in full; any other has the forms of ordinary messages. */
function endUnconfirmed(entry: Entry): void {
  if (entry.forms[0]?.layer !== 'unconfirmed') return;
  entry.forms = entry.at === -1 ? entry.forms.slice(1) : entry.forms.slice(0, 1);
}

/* The forms of words and lines. */

/** Tokens of a longer message that is shown as its first and last words, with a way to read it. */
const EXCERPT_TOKENS = 110;
/** A message of fewer tokens is not shortened, because that would save little. */
const LONG_TOKENS = 150;

/** The forms of the user's words in a turn. */
function wordForms(
  { request, isPlaced }: RecordTurn,
  number: number,
  { message, inView, unfolded, count }: RecordBounds,
): Form[] {
  if (request === null) return [];
  if (inView.has(request.id)) return [{ layer: 'words', text: () => `${number}: (in full among the messages)` }];
  let known: { readonly text: string; readonly tokens: number } | null = null;
  // Counted once, and only if the turn is reached: there may be ten thousand turns.
  const said = () => {
    const text = shown(textOf(request));
    return (known ??= { text, tokens: count(text) });
  };
  const written = (tokens: number) => {
    const { text, tokens: all } = said();
    return `${number}: ${all <= tokens ? text : excerptOf(request, text, tokens, count)}`;
  };
  const limit = () => (said().tokens > LONG_TOKENS ? Math.min(EXCERPT_TOKENS, message) : message);
  const short: Form = { layer: 'words', text: () => written(limit()) };
  const whole: Form = { layer: isPlaced ? 'placedWords' : 'longWords', text: () => written(message) };
  return unfolded.has(request.id) ? [{ ...whole, layer: 'unconfirmed' }, short, whole] : [short, whole];
}

/** The words of a request: complete up to this number of tokens, otherwise beginning, end and recall id. */
export function wordsOf(request: Message, tokens: number, count: CountTokens): string {
  const text = shown(textOf(request));
  return count(text) <= tokens ? text : excerptOf(request, text, tokens, count);
}

function excerptOf(request: Message, text: string, tokens: number, count: CountTokens): string {
  const part = request.parts.find(({ type }) => type === 'text');
  return excerptTokens(text, tokens, count, part && recallIdOf(part));
}

/** Layers of lines with one form. */
const LINE_LAYERS = { note: 'notes', offer: 'offers', ending: 'endings', passing: 'passing' } as const;

/**
 * The forms of a line.
 * @param named names that later lines contain; extended by those of this one
 */
function lineForms(line: RecordLine, named: Set<string>): Form[] {
  const { kind, head, text, current } = line;
  if (kind === 'outcome') {
    // The names of a call that did not run say nothing about later lines, nor they about it.
    const isRefused = line.counts.has(REFUSED);
    const unnamed = isRefused ? line.names : line.names.filter((name) => !named.has(name));
    if (!isRefused) for (const name of unnamed) named.add(name);
    const [brief, whole] = [shortOutcome(line, unnamed), withNames(text, unnamed)];
    const newest = current === '' ? '' : withNames(current, unnamed);
    const forms: Form[] = [{ layer: 'outcomes', text: () => brief }];
    if (newest !== '') forms.push({ layer: 'changes', text: () => newest });
    if (whole !== newest) forms.push({ layer: 'replaced', text: () => whole });
    return forms;
  }
  if (kind !== 'call') return [{ layer: LINE_LAYERS[kind], text: () => text }];
  const fresh = line.names.filter((name) => !named.has(name));
  for (const name of fresh) named.add(name);
  const whole = withNames(text, fresh);
  const brief: Form = { layer: 'names', text: () => `- ${head}: ${fresh.join(', ')}`, names: fresh };
  return [...(fresh.length === 0 ? [] : [brief]), { layer: 'calls', text: () => whole }];
}

/** The whole line, with those of the names that are not in its details. */
function withNames(text: string, names: readonly string[]): string {
  const more = names.filter((name) => !text.includes(name));
  return more.length === 0 ? text : `${text} (${more.join(', ')})`;
}

/** A line and what of it is shown. */
interface LineEntry {
  readonly line: RecordLine;
  readonly entry: Entry;
}

/**
 * Shows the names of each call in one line, and groups those of the oldest by their tool where not all fit.
 * @param calls newest first
 */
function keepNames(calls: readonly LineEntry[], tokens: number, cost: (text: string) => number) {
  const brief = calls.map(({ entry }) => entry.forms[0]!.text());
  return keepNewest(calls, brief, { tokens, cost, share: 1, group: (older, most) => groupNames(older, most, cost) });
}

/**
 * One line for each tool with the newest of its names that fit.
 * @param calls newest first
 */
function groupNames(calls: readonly LineEntry[], tokens: number, cost: (text: string) => number): string[] {
  const named = calls.map(({ line: { head }, entry }) => (entry.forms[0]?.names ?? []).map((name) => ({ head, name })));
  const all = named.toReversed().flat();
  const heads = new Set<string>();
  const fitting = newestWithin(all, tokens, ({ head, name }) => {
    const start = heads.has(head) ? 0 : cost(`- ${head}: `);
    heads.add(head);
    return start + cost(name) + 1;
  });
  return [...Map.groupBy(fitting, ({ head }) => head)].map(
    ([head, of]) => `- ${head}: ${of.map(({ name }) => name).join(', ')}`,
  );
}

/* Outcomes. */

/**
 * One short line: `- pag_k7m2p9 "Rye" (rye-bread): created, changed 12 times`.
 * @param unnamed names that no later line contains: the newest line of a thing says its address
 */
function shortOutcome({ head, counts, names }: RecordLine, unnamed: readonly string[]): string {
  if (counts.has(REFUSED)) return `- ${head}: ${names.join(', ')}`;
  const address = unnamed.filter((name) => !head.includes(name));
  return `- ${head}${address.length === 0 ? '' : ` (${address.join(', ')})`}: ${spelled(counts)}`;
}

/** Share of the tokens of outcomes that groups take at most, if not each outcome has a line. A choice, not measured. */
const GROUPED_SHARE = 0.7;

/**
 * Shows each outcome in one short line, and groups the oldest where not all fit.
 * @param outcomes newest first
 */
function keepOutcomes(outcomes: readonly LineEntry[], tokens: number, cost: (text: string) => number) {
  const brief = outcomes.map(({ entry }) => entry.forms[0]?.text() ?? '');
  const group = (older: readonly LineEntry[], most: number) =>
    groupOutcomes(
      older.map(({ line }) => line),
      most,
      cost,
    );
  return keepNewest(outcomes, brief, { tokens, cost, share: GROUPED_SHARE, group });
}

/** What `keepNewest` may use, and how it groups. */
interface Grouping {
  readonly tokens: number;
  readonly cost: (text: string) => number;
  /** Share of the tokens that groups take at most, if not each entry has a line. */
  readonly share: number;
  /** Lines of at most so many tokens for several entries. */
  readonly group: (older: readonly LineEntry[], most: number) => string[];
}

/**
 * Shows the newest entries in one line each, and groups the others where not all fit.
 * @param entries newest first
 * @param brief their lines
 */
function keepNewest(entries: readonly LineEntry[], brief: readonly string[], { tokens, cost, share, group }: Grouping) {
  const costs = brief.map(cost);
  const costOf = (at: number) => costs[at]! + numberTokens(entries[at]!.entry.turn);
  const all = costs.reduce((sum, _, at) => sum + costOf(at), 0);
  const forGroups = all <= tokens ? 0 : sumOf(group(entries, tokens * share), cost);
  let left = tokens - forGroups;
  let fits = 0;
  for (; fits < entries.length && costOf(fits) <= left; fits += 1) {
    left -= costOf(fits);
    show(entries[fits]!.entry, 0, brief[fits]!, costs[fits]!);
  }
  // Grouped entries are not folded: their groups state them.
  for (const { entry } of entries.slice(fits)) entry.at = entry.forms.length;
  const groups = group(entries.slice(fits), left + forGroups);
  return { groups, tokens: tokens - left - forGroups + sumOf(groups, cost) };
}
