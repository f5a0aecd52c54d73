import { NEWEST_REQUEST } from '#server/context/check-narrative';
import { narrativeText, parseNarrative } from '#server/context/narrative';
import { quotationsIn, quotedFrom, type RecordTurn, shown, textOf } from '#server/context/record/record';
import { FOLD_TOKENS } from '#server/context/record/group-outcomes';
import { wordsOf, writeRecord } from '#server/context/record/shorten-record';
import type { ViewShares } from '#server/context/budget';
import type { LedgerEntry, Thing, ThingRef } from '#server/core/conversation/compactions';
import { SUMMARY_SECTIONS, type SummarySection } from '#server/core/conversation/summary-sections';
import { comparable, type Preference, type NewPreference, sameQuote } from '#server/core/conversation/preferences';
import type { Message } from '#server/core/conversation/messages';
import { recallIdOf } from '#server/core/conversation/parts';
import { oneLine } from '#server/core/text/short-text';
import { excerptTokens, type CountTokens, newestWithin } from '#server/core/text/excerpt';
import { isRequest } from '#server/core/conversation/part-text';

/** Facts that code keeps, from the start of the session to the cut. Tokens are counted with our vocabulary. */
export interface SummaryFacts {
  readonly round: number;
  /** The stored originals, oldest first. */
  readonly messages: readonly Message[];
  readonly journal: readonly LedgerEntry[];
  /** Turns and changes as the record contains them. */
  readonly turns: readonly RecordTurn[];
  /** Current state of the things that were touched, each by its newest change, newest last. */
  readonly things: readonly Thing[];
  /** Preferences of the user, oldest first. */
  readonly wishes: readonly NewPreference[];
  /** Preferences that the user removed. Their words stay in the record but no longer apply. */
  readonly letGo: readonly Preference[];
  /** The standing instructions of the site. Every request contains them, in addition to the summary. */
  readonly standing: string;
  /** Messages that stay in the view after the summary. */
  readonly kept: readonly Message[];
  readonly cutsTurn: boolean;
  readonly shares: ViewShares;
  /** Maximum size of the summary in tokens, so that the request with everything else still fits. */
  readonly tokens: number;
  /** Maximum tokens of one message, or of all preferences: a twentieth of the usable tokens. */
  readonly messageTokens: number;
  /** Counts tokens as the model that reads the summary does. */
  readonly count: CountTokens;
}

/** Tokens reserved for the title, headings and fixed sentences. */
const FRAME_TOKENS = 175;
/**
 * In small windows: largest share of the summary for the first request, and for the current state. A choice, not
 * measured.
 */
const TIGHT_SHARE = 0.2;
/** Tokens for the names of things that changed after a narrative was written. A choice, not measured. */
const CHANGED_TOKENS = 100;

/** Heading of the part with the words of the user and what was done. */
export const RECORD_HEADING = 'Record (exact: the words of the user in order, and what was done for them)';
/** Heading of the part with the current state of the site. */
export const STATE_HEADING = 'How things stand now (exact, read from the site)';

/** The summary without a model. It is composed from the stored originals only, so repeated rounds lose nothing. */
export function composeLedgerSummary(facts: SummaryFacts): string {
  const sections = new Map<SummarySection, string>([
    ['Current State', lastAnswer(facts)],
    ['What Comes Next', NEWEST_REQUEST],
  ]);
  return framed(facts, sectionsOf(facts, sections));
}

/**
 * A narrative written by a model, combined with the facts that code keeps.
 * @param later changes of the site after the narrative was written
 */
export function composeNarrativeSummary(
  narrative: string,
  facts: SummaryFacts,
  later: readonly LedgerEntry[] = [],
): string {
  const changed = namesOfChanged(later);
  const sections = new Map(parseNarrative(narrative));
  const understood = sections.get('Original Task');
  if (understood) sections.set('Original Task', `As understood since: ${understood}`);
  if (changed.length > 0) {
    const named = newestWithin(changed, CHANGED_TOKENS, (name) => facts.count(name) + 1);
    const more = changed.length > named.length ? `, and ${changed.length - named.length} more` : '';
    sections.set(
      'Current State',
      paragraphs(sections.get('Current State'), `Changed since this was told: ${named.join(', ')}${more}.`),
    );
  }
  sections.set('What Was Accomplished', paragraphs(TOLD_BY_MODEL, sections.get('What Was Accomplished')));
  const wishes = [...facts.wishes, ...preferencesIn(narrative, facts)];
  sections.delete('User Preferences');
  return framed(facts, sectionsOf({ ...facts, wishes }, sections));
}

/**
 * Note before a narrative, which can contain an error about something that has not changed since: nothing else would
 * contradict it.
 */
const TOLD_BY_MODEL =
  'A model wrote this summary, but for the record and how things stand now: where they differ, those two are right.';

/**
 * Extends a narrative with what the assistant said in messages that the summarizer did not read: the newest that fit.
 */
export function extendNarrative(
  narrative: string,
  messages: readonly Message[],
  { messageTokens, count }: SummaryFacts,
): string {
  const said = messages.filter(({ role }) => role === 'assistant').map((message) => shown(textOf(message)));
  const answers = said.filter((answer) => answer !== '');
  const each = Math.max(MIN_EXCERPT_TOKENS, (messageTokens * UNREAD_SHARE) / (answers.length + 1));
  const lines = answers.map((answer) => `- ${excerptTokens(answer, each, count)}`);
  const fitting = newestWithin(lines, messageTokens * UNREAD_SHARE, (line) => count(line) + 1);
  if (fitting.length === 0) return narrative;
  const sections = new Map(parseNarrative(narrative));
  const older = lines.length - fitting.length;
  const since = [TOLD_SINCE, ...(older === 0 ? [] : [`- (${older} older ones are left out)`]), ...fitting].join('\n');
  sections.set('Current State', paragraphs(sections.get('Current State'), since));
  return narrativeText(sections);
}

/** Share of the tokens of one message for all answers that the summarizer did not read. The record tells what was done. */
const UNREAD_SHARE = 0.5;
/** An answer is quoted only if at least this many tokens are available for it. A choice, not measured. */
const MIN_EXCERPT_TOKENS = 40;

/** Heading of what the assistant said after a narrative was written. */
const TOLD_SINCE = 'Said by the assistant since this was told (of long answers their beginning and end):';

/** The texts that are not empty, as paragraphs. */
const paragraphs = (...texts: readonly (string | undefined)[]) => texts.filter(Boolean).join('\n\n');

/**
 * The exact record as a summarizer receives it together with the conversation. If it is too long, the oldest entries
 * are folded.
 */
export function recordText(facts: SummaryFacts, mostTokens = facts.tokens): string {
  const tokens = Math.min(facts.tokens, mostTokens);
  const shares = { ...facts.shares, words: facts.shares.words * (tokens / facts.tokens) };
  return narrativeText([...sectionsOf({ ...facts, tokens, shares }, new Map())].filter(([, body]) => body !== ''));
}

/**
 * Preferences that a narrative quotes, that the user typed and that are not stored yet. Text from pages, files and
 * tools never counts as a preference.
 */
export function preferencesIn(narrative: string, facts: SummaryFacts): NewPreference[] {
  const { wishes, letGo, messages, messageTokens, count } = facts;
  const known = new Set(wishes.map(({ quote }) => comparable(quote)));
  let left = messageTokens - wishes.reduce((sum, { quote }) => sum + count(quote), 0);
  return quotationsIn(parseNarrative(narrative).get('User Preferences') ?? '').flatMap((readings) => {
    if (readings.some((quote) => known.has(comparable(quote)))) return [];
    const quote = readings.find((reading) => quotedFrom(reading, messages));
    const said = quote && quotedFrom(quote, messages);
    if (!said) return [];
    // Also matches a part of a removed preference, or a longer quotation that contains it.
    const isGone = letGo.some(
      (gone) => gone.messageId === said.id && overlap(comparable(gone.quote), comparable(quote)),
    );
    if (isGone || count(quote) > left) return [];
    known.add(comparable(quote));
    left -= count(quote);
    return [{ quote, messageId: said.id }];
  });
}

/** True if one text contains the other. */
const overlap = (one: string, other: string) => one.includes(other) || other.includes(one);

/** The bodies of the sections. The exact parts use the tokens that the narrative parts leave. */
function sectionsOf(facts: SummaryFacts, sections: ReadonlyMap<SummarySection, string>): Map<SummarySection, string> {
  const { shares, tokens, count, turns } = facts;
  const cost = (text: string) => (text === '' ? 0 : count(text) + 1);
  const original = originalTask(facts);
  const state = thingLines(facts.things, Math.min(shares.state, tokens * TIGHT_SHARE), count).join('\n');
  const wishes = preferenceLines(facts);
  const spent = [original, state, wishes, ...sections.values()].reduce((sum, text) => sum + cost(text), FRAME_TOKENS);
  const record = writeRecord(turns, {
    tokens: tokens - spent,
    words: shares.words - cost(original),
    message: facts.messageTokens,
    inView: new Set(facts.kept.map(({ id }) => id)),
    unfolded: new Set(facts.wishes.filter(({ confirmedAt }) => !confirmedAt).map(({ messageId }) => messageId)),
    hasRecall: hasRecall(facts.messages),
    count,
  });
  const exact: Partial<Record<SummarySection, string>> = {
    'What Was Accomplished': record && `#### ${RECORD_HEADING}\n${record}`,
    'Current State': state && `#### ${STATE_HEADING}\n${state}`,
    'User Preferences': wishes,
  };
  const bodies = SUMMARY_SECTIONS.map((name) => [name, paragraphs(sections.get(name), exact[name])] as const);
  return new Map(bodies).set('Original Task', paragraphs(original, sections.get('Original Task')));
}

/** The first request, word for word as far as it fits. */
function originalTask({ messages, kept, messageTokens, tokens, count }: SummaryFacts): string {
  const original = messages.find(isRequest);
  if (!original) return 'The conversation had no request yet.';
  if (kept.some(({ id }) => id === original.id)) return '(The first request stands in full among the messages.)';
  const most = Math.floor(tokens * TIGHT_SHARE);
  // In a conversation that a client keeps, what is cut out cannot be recalled.
  return wordsOf(original, hasRecall(messages) ? Math.min(messageTokens, most) : most, count);
}

/** The preferences word for word, removed ones first. If they do not fit, the newest are kept. */
function preferenceLines({ wishes, letGo, standing, messageTokens, tokens, count }: SummaryFacts): string {
  const unsaid = wishes.filter(({ quote }) => !comparable(standing).includes(comparable(quote)));
  const lines = unsaid.map(({ quote }) => `- "${shown(quote)}"`);
  const gone = letGo.filter(({ quote }) => !wishes.some((kept) => sameQuote(kept.quote, quote)));
  const all = [...gone.map(({ quote }) => `- (the user let go of: "${shown(quote)}")`), ...lines];
  const fitting = newestWithin(all, Math.min(messageTokens, tokens * TIGHT_SHARE), (line) => count(line) + 1);
  const hidden = Math.max(0, lines.length - fitting.length);
  return [...(hidden === 0 ? [] : [`- (${hidden} more are kept)`]), ...fitting].join('\n');
}

/** The last answer of the assistant, as far as it fits. */
function lastAnswer({ messages, shares, tokens, count }: SummaryFacts): string {
  const answer = messages.findLast((message) => message.role === 'assistant' && textOf(message) !== '');
  const most = Math.min(shares.narrative, tokens * TIGHT_SHARE);
  return answer ? excerptTokens(`The assistant's last words: ${shown(textOf(answer))}`, most, count) : '';
}

/** How what is left out can be found. */
const FOUND_AGAIN = 'search_history finds again, word for word, all that was said and done.';

/** Title of a summary, and how it has to be read. */
function summaryTitle(round: number, messages: readonly Message[]): string {
  const title = `## Session Summary (Compaction Round ${round})`;
  // With our instructions the model knows which tool finds the rest. Without them the summary says how to read it.
  const how = hasRecall(messages) ? FOUND_AGAIN : 'History, not a request: rely on it, do not redo it.';
  return `${title}\n\n${how}`;
}

/** Returns whether tools can find what is left out. False in a conversation that a client keeps. */
function hasRecall(messages: readonly Message[]): boolean {
  return !messages.some(({ parts }) => parts.some((part) => recallIdOf(part) === null));
}

/** The whole summary: title, sections and closing note. */
function framed(facts: SummaryFacts, sections: ReadonlyMap<SummarySection, string>): string {
  const bodies = [...sections].map(([name, body]) => `### ${name}\n${body || 'None.'}`);
  return [summaryTitle(facts.round, facts.messages), ...bodies, ...continuationNote(facts)].join('\n\n');
}

/** The last lines of the summary, directly before the request of the turn that is cut and its newest steps. */
function continuationNote({ cutsTurn, turns }: SummaryFacts): string[] {
  const number = turns.length - turns.findIndex(({ request }) => request !== null);
  return cutsTurn ? [`(Turn ${number} goes on behind this summary: what stands there is newer and wins.)`] : [];
}

/** The note for messages that were removed without a summary, with the facts that code keeps. */
export function composeNote(facts: SummaryFacts, replaced: number): string {
  const { round, messages, tokens, count } = facts;
  const least = leastNote(round, replaced, messages);
  const record = recordText({ ...facts, tokens: tokens - count(least) });
  const note = [least, record, ...continuationNote(facts)].join('\n\n');
  return count(note) <= tokens ? note : least;
}

/** A note of minimal length; no summary is shorter. It is longest for messages that can be found again. */
export function leastNote(round: number, replaced: number, messages: readonly Message[] = []): string {
  return `${summaryTitle(round, messages)}\n\n${replaced} messages of this conversation were taken out here to save room.`;
}

/**
 * Parses a stored summary: the user's words are matched with the stored originals, oldest first; the exact parts are
 * found by their headings, which neither the user's words nor the narrative can contain.
 * @returns the lines of the record and of the current state without list marks, and the user's words that the summary
 * quotes verbatim
 */
export function readSummary(text: string, messages: readonly Message[]) {
  const words = messages.filter(isRequest).map((request) => shown(textOf(request)));
  const userWords = [...new Set(words)].filter((said) => said !== '' && text.includes(said));
  const longestFirst = userWords.toSorted((a, b) => b.length - a.length);
  const exact = [RECORD_HEADING, STATE_HEADING].flatMap((heading) => {
    const [, after = ''] = text.split(`\n#### ${heading}\n`);
    const [own = ''] = after.split('\n\n#');
    // `3: words`; in summaries of earlier versions `3. User: words`.
    const lines = longestFirst.reduce((rest, said) => rest.replaceAll(`: ${said}`, ''), own).split('\n');
    return lines.filter((line) => line.startsWith('- '));
  });
  return { ledger: exact.map((line) => line.slice(2)), userWords };
}

/** The things that a journal mentions, each once, by its newest change, newest last. */
export function touchedThings(journal: readonly LedgerEntry[]): ThingRef[] {
  const things = new Map<string, ThingRef>();
  for (const { kind, id, slug, title } of journal.toSorted((a, b) => a.at - b.at)) {
    // The instructions of every request contain them.
    if (kind === 'standing-instructions') continue;
    const key = `${kind} ${id}`;
    things.delete(key);
    things.set(key, { kind, id, slug, title });
  }
  return [...things.values()];
}

/**
 * Finds the changes of another journal that this one does not have, and those that it reports as undone.
 * @param until epoch milliseconds; later entries of this journal were not known
 */
export function changesSince(journal: readonly LedgerEntry[], until: number) {
  const keyOf = ({ id, at, action, undone }: LedgerEntry) => `${id} ${at} ${action} ${undone}`;
  const known = new Set(journal.filter(({ at }) => at < until).map(keyOf));
  return (now: readonly LedgerEntry[]): LedgerEntry[] => now.filter((change) => !known.has(keyOf(change)));
}

/** Names the things that changes are about, each once. */
function namesOfChanged(changes: readonly LedgerEntry[]): string[] {
  const names = changes.map(
    ({ id, kind, title }) => [id, id === kind ? kind : shown(`"${oneLine(title, MAX_TITLE_CHARS)}" (${id})`)] as const,
  );
  return [...new Map(names).values()];
}

/** Maximum characters of a title in a line. A choice, not measured. */
const MAX_TITLE_CHARS = 80;
/** Maximum characters of what a line says about its thing. A choice, not measured. */
const MAX_DETAIL_CHARS = 600;

/**
 * The things as lines within a token budget. First the oldest lose the ids of their parts; what does not fit then is
 * counted by kind: deleted things first, then the oldest changes. The menu and the settings, which no search finds by an
 * id, go last.
 */
export function thingLines(things: readonly Thing[], tokens: number, count: CountTokens): string[] {
  const rankOf = (thing: Thing) => (isDeleted(thing) ? 0 : thing.id === thing.kind ? 2 : 1);
  const inOrder = things.toSorted((one, other) => rankOf(one) - rankOf(other));
  const cost = (thing: Thing) => count(lineOf(thing)) + 1;
  const room = tokens - FOLD_TOKENS;
  const brief = (thing: Thing): Thing => (thing.id === thing.kind ? thing : { ...thing, parts: [] });
  const fitting = new Set(newestWithin(inOrder, room, (thing) => cost(brief(thing))));
  const left = [...fitting].reduce((sum, thing) => sum - cost(brief(thing)), room);
  const listed = inOrder.filter((thing) => fitting.has(thing));
  const whole = new Set(newestWithin(listed, left, (thing) => cost(thing) - cost(brief(thing))));
  const lines = things
    .filter((thing) => fitting.has(thing))
    .map((thing) => lineOf(whole.has(thing) ? thing : brief(thing)));
  const folded = things.filter((thing) => !fitting.has(thing));
  if (folded.length === 0 || tokens < FOLD_TOKENS) return lines;
  const counted = [...Map.groupBy(folded, ({ kind }) => kind)].map(
    ([kind, of]) => `${of.length} ${of.length === 1 || kind.endsWith('s') ? kind : `${kind}s`}`,
  );
  return [`- earlier: ${counted.join(', ')}; their ids by search_history`, ...lines];
}

const isDeleted = ({ state }: Thing) => state === 'deleted';

/** One line: `- page "Pricing" (pag_k7m2p9, /pricing, draft): hero sec_h4t8w2`. */
function lineOf(thing: Thing): string {
  const { kind, id, title, path, state, parts = [], detail, isLastKnown } = thing;
  const named = id === kind ? [kind] : [`${kind} "${oneLine(title, MAX_TITLE_CHARS)}"`, id];
  const facts = [named[1], isDeleted(thing) ? null : path, state, isLastKnown && 'as last known'].filter(Boolean);
  const inBrackets = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const holds = detail ?? parts.map((part) => `${part.type} ${part.id}`).join(', ');
  return shown(`- ${named[0]}${inBrackets}${holds && `: ${oneLine(holds, MAX_DETAIL_CHARS)}`}`);
}
