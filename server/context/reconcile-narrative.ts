import { narrativeText, parseNarrative } from '#server/context/narrative';
import type { LedgerEntry, Thing } from '#server/core/conversation/compactions';
import type { Message } from '#server/core/conversation/messages';
import type { SummarySection } from '#server/core/conversation/summary-sections';

/*
 * Compares a narrative with the typed facts of the record: ids, addresses, titles, states and values. It does not
 * interpret language: only texts that code knows exactly are compared. What can be corrected is corrected; otherwise the
 * sentence is left out, because the record says the same exactly.
 */

/** What the narrative is compared with. */
export interface RecordFacts {
  /** Current state of the things that were touched. */
  readonly things: readonly Thing[];
  /** All changes, oldest first. */
  readonly journal: readonly LedgerEntry[];
  /** Changes that the writer of the narrative did not know. */
  readonly later: readonly LedgerEntry[];
  /** The stored messages, in which ids may occur that the journal does not have. */
  readonly messages: readonly Message[];
}

/** Sections whose sentences are compared; the user's own words and what the task is are no statements about the site. */
const COMPARED: readonly SummarySection[] = [
  'Current State',
  'What Comes Next',
  'What Was Accomplished',
  'Technical Context',
  'Errors & Resolutions',
];

/** The narrative without what contradicts the record. */
export function reconcileNarrative(narrative: string, facts: RecordFacts): string {
  const sections = new Map(parseNarrative(narrative));
  const corrections = [...renamed(facts), ...moved(facts)];
  const isContradicted = contradictions(facts);
  for (const name of COMPARED) {
    const text = sections.get(name);
    if (text === undefined) continue;
    const corrected = corrections.reduce((rest, { from, to }) => replaceStanding(rest, from, to), text);
    const isTaken = name === 'What Comes Next' ? namesOneOf(facts.later) : () => false;
    const kept = corrected
      .split('\n')
      .map((line) => withoutSentences(line, (sentence) => isContradicted(sentence) || isTaken(sentence)))
      .filter((line) => line !== null);
    const rest = kept.join('\n').trim();
    if (rest === '') sections.delete(name);
    else sections.set(name, rest);
  }
  return narrativeText(sections);
}

interface Correction {
  readonly from: string;
  readonly to: string;
}

/** Marks that may surround a quoted title. */
const QUOTES: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
  ['「', '」'],
  ['『', '』'],
];

/** Quoted titles that a thing no longer has. */
function renamed({ things, journal }: RecordFacts): Correction[] {
  const current = new Map(things.map(({ id, title }) => [id, title]));
  const titles = new Set(current.values());
  const old = new Map<string, string>();
  for (const { id, title } of journal) {
    const now = current.get(id);
    if (now !== undefined && now !== title && !titles.has(title)) old.set(title, now);
  }
  return [...old].flatMap(([from, to]) =>
    QUOTES.map(([open, close]) => ({ from: `${open}${from}${close}`, to: `${open}${to}${close}` })),
  );
}

/** Addresses that a thing no longer has. */
function moved({ things, journal }: RecordFacts): Correction[] {
  const paths = new Map(things.flatMap(({ id, path }) => (path === null ? [] : [[id, path] as const])));
  const present = new Set(paths.values());
  const old = new Map<string, string>();
  for (const { id, slug } of journal) {
    const now = paths.get(id);
    if (now === undefined || slug === null || now.split('/').at(-1) === slug) continue;
    const from = `${now.slice(0, now.lastIndexOf('/'))}/${slug}`;
    if (!present.has(from)) old.set(from, now);
  }
  return [...old].map(([from, to]) => ({ from, to }));
}

/** Replaces a text where no letter, digit or further segment of a path goes on at either end. */
function replaceStanding(text: string, from: string, to: string): string {
  return positionsOf(text, from)
    .toReversed()
    .reduce((rest, at) => `${rest.slice(0, at)}${to}${rest.slice(at + from.length)}`, text);
}

const GOES_ON = /[\p{L}\p{N}_/-]/u;

/** The positions at which a text contains a name on its own. */
function positionsOf(text: string, name: string): number[] {
  const positions: number[] = [];
  if (name === '') return positions;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + name.length)];
    const begins = GOES_ON.test(name.charAt(0)) && GOES_ON.test(before);
    const continues = GOES_ON.test(name.charAt(name.length - 1)) && GOES_ON.test(after);
    if (!begins && !continues) positions.push(at);
  }
  return positions;
}

const holds = (text: string, name: string) => positionsOf(text, name).length > 0;

/** States that a site reports; each contradicts the others. */
const STATES = ['draft', 'published', 'deleted'] as const;

/** Tells whether a sentence contradicts the record. */
function contradictions({ things, journal, messages }: RecordFacts): (sentence: string) => boolean {
  const replaced = replacedValues(journal);
  const ids = new Set([...journal.map(({ id }) => id), ...things.flatMap(({ id, parts = [] }) => [id, ...parts.map((part) => part.id)])]); // prettier-ignore
  const prefixes = new Set([...ids].flatMap((id) => /^([a-z]{2,5}_)[a-z0-9]{4,}$/.exec(id)?.[1] ?? []));
  let said: ReadonlySet<string> | undefined;
  return (sentence) => {
    const named = things.filter((thing) => namesOf(thing).some((name) => holds(sentence, name)));
    const [only] = named;
    if (named.length === 1 && only && saysOtherState(sentence, only)) return true;
    if (replaced.some((value) => saysReplaced(sentence, value, named))) return true;
    return [...sentence.matchAll(ID)].some(
      ([id, prefix = '']) => prefixes.has(prefix) && !ids.has(id) && !(said ??= idsIn(messages)).has(id),
    );
  };
}

/** An id of the site, with its prefix: `pag_k7m2p9`. */
const ID = /(?<![\w-])([a-z]{2,5}_)[a-z0-9]{4,40}(?![\w-])/g;

/** All ids in the texts, inputs and outputs of messages. */
function idsIn(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(messages.flatMap(({ parts }) => JSON.stringify(parts).match(ID) ?? []));
}

/** What a sentence may name a thing by. */
const namesOf = ({ id, title, path }: Thing): string[] => [
  id,
  ...(path === null || path === '/' ? [] : [path]),
  ...QUOTES.map(([open, close]) => `${open}${title}${close}`),
];

/** Tells whether a sentence about one thing says only a state that it does not have. */
function saysOtherState(sentence: string, { state }: Thing): boolean {
  if (!STATES.some((known) => known === state)) return false;
  const said = STATES.filter((known) => holds(sentence.toLowerCase(), known));
  return said.length > 0 && !said.some((known) => known === state);
}

/** A value that a field no longer has. */
interface ReplacedValue {
  readonly id: string;
  readonly old: string;
  readonly current: string;
}

/** All values that were replaced, with those that took their places. Undone changes replace nothing. */
function replacedValues(journal: readonly LedgerEntry[]): ReplacedValue[] {
  const fields = new Map<string, { readonly id: string; readonly values: Set<string>; current: string }>();
  for (const { id, summary, values = [], undone, action } of journal) {
    if (action === 'undo') continue;
    for (const { field, before, after } of values) {
      const key = `${id} ${summary} ${field}`;
      const known = fields.get(key) ?? { id, values: new Set(), current: before };
      known.values.add(before).add(after);
      if (!undone) known.current = after;
      fields.set(key, known);
    }
  }
  return [...fields.values()].flatMap(({ id, values, current }) =>
    [...values].filter((old) => old !== current).map((old) => ({ id, old, current })),
  );
}

/** Shortest text that is compared as a whole; characters. A shorter one could stand anywhere. */
const LEAST_TEXT_CHARS = 8;
/** A number: digits with separators inside. */
const NUMBER = /\d(?:[\d.,:]*\d)?/g;
/** Digits of a number that is unlikely to stand in a sentence about something else. */
const DISTINCT_DIGITS = 4;

/** Tells whether a sentence states a replaced value, and not the present one beside it. */
function saysReplaced(sentence: string, { id, old, current }: ReplacedValue, named: readonly Thing[]): boolean {
  const [numbersBefore, numbersNow] = [numbersIn(old), numbersIn(current)];
  const gone = [...numbersBefore].filter((number) => !numbersNow.has(number));
  const come = [...numbersNow].filter((number) => !numbersBefore.has(number));
  if (gone.length > 0) {
    const said = numbersIn(sentence);
    const isAbout = named.some((thing) => thing.id === id);
    const saysOld = gone.some(
      (number) => said.has(number) && (isAbout || number.replaceAll(/\D/g, '').length >= DISTINCT_DIGITS),
    );
    return saysOld && !come.some((number) => said.has(number));
  }
  const isText = old.length >= LEAST_TEXT_CHARS && !current.includes(old);
  return isText && sentence.includes(old) && !sentence.includes(current);
}

const numbersIn = (text: string): ReadonlySet<string> => new Set(text.match(NUMBER));

/** Tells whether a sentence names a thing that one of these changes is about. */
function namesOneOf(changes: readonly LedgerEntry[]): (sentence: string) => boolean {
  const names = changes.flatMap(({ id, kind, slug, title }) =>
    id === kind ? [] : namesOf({ kind, id, title, path: slug === null ? null : `/${slug}`, state: null }),
  );
  return (sentence) => names.some((name) => holds(sentence, name));
}

/** The end of a sentence, in any script. */
const SENTENCE_END = /(?<=[.!?…]["'”»)*_]{0,3})\s+(?=\S)|(?<=[。！？])(?=\S)/u;

/** A line without some of its sentences; null: nothing of it is left but its list mark. */
function withoutSentences(line: string, isUnwanted: (sentence: string) => boolean): string | null {
  const [, mark = '', text = ''] = /^(\s*(?:[-*•]|\d{1,3}[.)])?\s*)(.*)$/su.exec(line) ?? [];
  const sentences = text.split(SENTENCE_END);
  const kept = sentences.filter((sentence) => !isUnwanted(sentence));
  if (kept.length === sentences.length) return line;
  return kept.length === 0 ? null : `${mark}${kept.join(' ')}`;
}
