import type { ModelMessage } from 'ai';
import { type Figures, type NeedleKind, type Share, needleKinds } from '#tests/bench/context/bench-report';
import type { Run } from '#tests/bench/context/approach';
import { hiddenRequests, namesInView, wordsInView, wordsOf } from '#tests/bench/context/in-view';
import { type KnownPart, knownParts } from '#tests/bench/context/known-parts';
import { partsOf } from '#tests/bench/context/message-parts';
import { type Needle, needleFinder } from '#tests/bench/context/needles';
import { recallQuery } from '#tests/bench/context/recall-query';
import { isThere, requestsOf, userText } from '#tests/bench/context/watch-steps';

/** Lost needles that recall is asked for; of more, an even sample is. */
const MOST_RECALLS = 200;

type EndFigures = Pick<
  Figures,
  | 'retained'
  | 'known'
  | 'userWords'
  | 'userWordsFound'
  | 'callNames'
  | 'actedOn'
  | 'recallable'
  | 'firstRequest'
  | 'standingInstructions'
>;

/**
 * What is left at the last step.
 * @param history the transcript up to that step
 * @param sent what the approach made of it
 */
export async function measureEnd(
  history: readonly ModelMessage[],
  sent: readonly ModelMessage[],
  recall: Run['recall'],
): Promise<EndFigures> {
  const parts = knownParts(history);
  const shown = textOf(sent);
  const isFound = needleFinder(shown);
  const hidden = parts.filter(({ text }) => !shown.includes(text.trim()));
  const gone = needlesOf(hidden);
  const lost = [...gone.values()].filter(({ needle }) => !isFound(needle));
  return {
    retained: retainedByKind(gone, isFound),
    known: shareOf(needlesOf(parts), isFound),
    userWords: wordsInView(history, sent),
    userWordsFound: await foundAgain(evenly(hiddenRequests(history, sent), MOST_RECALLS), recall),
    callNames: namesInView(history, sent),
    actedOn: shareOf(needlesOf(hidden.filter(({ isActedOn }) => isActedOn)), isFound),
    recallable: await recallable(evenly(lost, MOST_RECALLS), recall),
    firstRequest: isThere(requestsOf(history)[0] ?? [], userText(sent)),
    standingInstructions: instructionsKept(history, shown),
  };
}

/** Of all needles up to a step, those that are in what is sent there; 1 where there are none yet. */
export function knownShare(history: readonly ModelMessage[], sent: readonly ModelMessage[]): number {
  const { kept, of } = shareOf(needlesOf(knownParts(history)), needleFinder(textOf(sent)));
  return of === 0 ? 1 : kept / of;
}

function textOf(messages: readonly ModelMessage[]): string {
  return partsOf(messages)
    .map(({ text }) => text)
    .join('\n');
}

/** A needle and the text in which it first stood. */
interface Found {
  readonly needle: Needle;
  readonly text: string;
}

function needlesOf(parts: readonly KnownPart[]): Map<string, Found> {
  const found = new Map<string, Found>();
  for (const { text, needles } of parts) {
    for (const needle of needles) if (!found.has(needle.text)) found.set(needle.text, { needle, text });
  }
  return found;
}

function shareOf(found: ReadonlyMap<string, Found>, isKept: (needle: Needle) => boolean): Share {
  const all = [...found.values()];
  return { kept: all.filter(({ needle }) => isKept(needle)).length, of: all.length };
}

function retainedByKind(gone: ReadonlyMap<string, Found>, isKept: (needle: Needle) => boolean): Figures['retained'] {
  const ofKind = (kind: NeedleKind) => new Map([...gone].filter(([, { needle }]) => needle.kind === kind));
  const shares = needleKinds.map((kind) => [kind, shareOf(ofKind(kind), isKept)] as const);
  return Object.fromEntries(shares) as Figures['retained'];
}

async function recallable(lost: readonly Found[], recall: Run['recall']): Promise<Share> {
  let kept = 0;
  if (recall !== null) {
    for (const { needle, text } of lost) {
      const answer = await recall(recallQuery(text, needle.text));
      if (needleFinder(answer)(needle)) kept += 1;
    }
  }
  return { kept, of: lost.length };
}

/** Words that a model asks with. */
const ASKED_WORDS = 6;
/** Words in a row of a message by which it is recognized in an answer. */
const SEEN_WORDS = 8;

/** Asked with its longest words, which tell best what it was about; found is what the answer quotes. */
async function foundAgain(requests: readonly string[], recall: Run['recall']): Promise<Share> {
  let kept = 0;
  if (recall !== null) {
    for (const request of requests) {
      const words = [...new Set(wordsOf(request.slice(0, 1_000)))];
      const asked = new Set(words.toSorted((a, b) => b.length - a.length).slice(0, ASKED_WORDS));
      const answer = await recall(words.filter((word) => asked.has(word)).join(' '));
      if (isQuoted(wordsOf(request), ` ${wordsOf(answer).join(' ')} `)) kept += 1;
    }
  }
  return { kept, of: requests.length };
}

function isQuoted(words: readonly string[], answer: string): boolean {
  const starts = Array.from({ length: Math.max(1, words.length - SEEN_WORDS + 1) }, (_, index) => index);
  return starts.some((start) => answer.includes(` ${words.slice(start, start + SEEN_WORDS).join(' ')} `));
}

/** At most so many, at even distances. */
function evenly<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)] as T);
}

/** Lasting instructions, recognised by their words. */
const STANDING = /\b(?:always|never|from now on|do not|don[’']t|must)\b/i;
/** Longer ones are pasted. */
const MAX_SENTENCE_CHARS = 400;

/** Of the sentences of all messages of the user but the newest, those that are there word for word. */
function instructionsKept(history: readonly ModelMessage[], shown: string): Share {
  const requests = history.filter(({ role }) => role === 'user').slice(0, -1);
  const sentences = partsOf(requests)
    .flatMap(({ text }) => text.split(/(?<=[.!?])\s+|\n+/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => STANDING.test(sentence) && sentence.length <= MAX_SENTENCE_CHARS);
  const each = [...new Set(sentences)];
  return { kept: each.filter((sentence) => shown.includes(sentence)).length, of: each.length };
}
