import type { ModelMessage } from 'ai';
import { countTokens } from '#server/context/tokens';
import { throughline } from '#tests/bench/context/approaches/throughline';
import type { World } from '#tests/bench/context/approach';
import { createMessageCounter } from '#tests/bench/context/count-messages';
import { partsOf } from '#tests/bench/context/message-parts';
import { Bm25 } from '#tests/bench/dialogs/bm25';
import type { Dialog, DialogTurn } from '#tests/bench/dialogs/read-dialogs';

/* How much of a long dialog stands in a window at its end, or is found by one search for a question about it. */

/** Figures of one way to keep a dialog, over all its questions. */
export interface DialogFigures {
  readonly name: string;
  readonly questions: number;
  /** Questions whose evidence is completely in the view, word for word. */
  readonly inView: number;
  /** Questions whose evidence is in the view, or completely in what one search for the question returns. */
  readonly found: number;
  /** Mean tokens of the view after each session from the first full one on, and of what a search returns. */
  readonly viewTokens: number;
  readonly searchTokens: number;
}

/** One way to keep a dialog: what is in view at its end, and what a search returns. */
interface Kept {
  readonly name: string;
  readonly view: string;
  readonly viewTokens: number;
  search(question: string): Promise<string>;
  close(): Promise<void>;
}

/** Tokens of the newest turns that the baselines keep: as many as summaries leave of 12,000 usable ones. */
const BASELINE_TOKENS = 7_200;
const BASELINE_HITS = 10;
/** A summarizer that knows nothing: it has the sections that are requested, and says nothing in them. */
const KNOWS_NOTHING = ['Original Task', 'What Was Accomplished', 'Current State', 'User Preferences', 'What Comes Next']
  .map((name) => `### ${name}\nNone.`)
  .join('\n\n');
const OUTPUT_TOKENS = 4_096;

/** Measures the engine and two baselines on one dialog. */
export async function measureDialog(dialog: Dialog, contextWindow: number): Promise<DialogFigures[]> {
  const figures: DialogFigures[] = [];
  for (const open of [engine, baseline(0), baseline(1)]) {
    const kept = await open(dialog, contextWindow);
    try {
      figures.push(await measure(dialog, kept));
    } finally {
      await kept.close();
    }
  }
  return figures;
}

/** Adds up the figures of several dialogs, by name. */
export function sumFigures(all: readonly (readonly DialogFigures[])[]): DialogFigures[] {
  return [...Map.groupBy(all.flat(), ({ name }) => name)].map(([name, of]) => {
    const sum = (key: 'questions' | 'inView' | 'found') => of.reduce((total, one) => total + one[key], 0);
    const mean = (key: 'viewTokens' | 'searchTokens') => of.reduce((total, one) => total + one[key], 0) / of.length;
    const counts = { questions: sum('questions'), inView: sum('inView'), found: sum('found') };
    return { name, ...counts, viewTokens: mean('viewTokens'), searchTokens: mean('searchTokens') };
  });
}

async function measure({ questions }: Dialog, kept: Kept): Promise<DialogFigures> {
  let [inView, found, searchTokens] = [0, 0, 0];
  for (const { question, evidence } of questions) {
    const result = await kept.search(question);
    searchTokens += countTokens(result);
    const isInView = holds(kept.view, evidence);
    if (isInView) inView += 1;
    if (isInView || holds(result, evidence)) found += 1;
  }
  const { name, viewTokens } = kept;
  const { length } = questions;
  return { name, questions: length, inView, found, viewTokens, searchTokens: searchTokens / Math.max(1, length) };
}

const holds = (text: string, turns: readonly DialogTurn[]) =>
  turns.every((turn) => plain(text).includes(plain(turn.text)));
/** Text with single spaces. */
const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

async function engine(dialog: Dialog, contextWindow: number): Promise<Kept> {
  const [approach] = throughline;
  const count = createMessageCounter();
  const world: World = {
    contextWindow,
    maxOutputTokens: Math.min(OUTPUT_TOKENS, Math.floor(contextWindow / 4)),
    count,
    summarize: () => Promise.resolve(KNOWS_NOTHING),
    journal: () => [],
  };
  const run = await approach!.open(world);
  const sizes: number[] = [];
  let sent: readonly ModelMessage[] = [];
  for (const session of dialog.sessions) {
    sent = await run.step(session.map(({ role, text }) => ({ role, content: text })));
    sizes.push(count(sent));
  }
  const full = sizes.slice(sizes.findIndex((size, index) => size < (sizes[index - 1] ?? 0)));
  return {
    name: 'Throughline',
    view: partsOf(sent)
      .map(({ text }) => text)
      .join('\n'),
    viewTokens: full.reduce((sum, size) => sum + size, 0) / full.length,
    search: (question) => run.recall?.(question) ?? Promise.resolve(''),
    close: () => run.close(),
  };
}

/** Keeps the newest turns; a BM25 search returns ten turns, each with `around` turns before and after it. */
const baseline = (around: number) => (dialog: Dialog) => {
  const turns = dialog.sessions.flat();
  const index = new Bm25(turns.map(({ text }) => text));
  let left = BASELINE_TOKENS;
  const newest = turns.toReversed().findIndex(({ text }) => (left -= countTokens(text) + 4) < 0);
  const kept = newest === -1 ? turns : turns.slice(-newest);
  const search = (question: string) => {
    const hits = index.search(question, BASELINE_HITS);
    const wanted = new Set(hits.flatMap((hit) => Array.from({ length: 2 * around + 1 }, (_, i) => hit - around + i)));
    const found = turns.filter((_, position) => wanted.has(position));
    return Promise.resolve(found.map(({ text }) => text).join('\n'));
  };
  const name = `Newest ${BASELINE_TOKENS} tokens, BM25${around > 0 ? ' with the turns around each hit' : ''}`;
  const view = kept.map(({ text }) => text).join('\n');
  return Promise.resolve({ name, view, viewTokens: BASELINE_TOKENS, search, close: () => Promise.resolve() });
};
