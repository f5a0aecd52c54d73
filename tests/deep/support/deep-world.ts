import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { summaryText } from '#tests/support/openrouter-chat';
import { type FakeOpenRouter, type FakeResponse, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { randomNumbers } from '#tests/support/random-numbers';
import type { ParsedRequest } from '#tests/support/request-log';
import { marksIn } from '#tests/support/stored-data';
import { isSummaryRequest } from '#tests/support/summary-requests';

/** Words of one answer, and the pauses before each: an answer takes one to four seconds. */
const ANSWER_WORDS = 200;
const WORD_PAUSES_MS = [5, 10, 20];
/** Of every so many requests one makes a page first. */
const PAGE_EVERY = 3;

/** The random numbers of a run: its seed is printed, `DEEP_SEED` draws the same again. */
export function drawFor(name: string): () => number {
  const seed = Number(process.env['DEEP_SEED'] ?? Date.now() % 1_000_000);
  console.log(`${name}: DEEP_SEED=${String(seed)}`);
  return randomNumbers(seed);
}

/** How many rounds a run has: `DEEP_ROUNDS`, or as many as its test wants. */
export function roundsOr(wanted: number): number {
  return Number(process.env['DEEP_ROUNDS'] ?? wanted);
}

/** A folder with a database in it, a scripted provider, and servers of the build that come and go on them. */
export interface DeepWorld extends AsyncDisposable {
  readonly databaseFile: string;
  readonly provider: FakeOpenRouter;
  /** Starts a server and waits until it reports that it is ready. Several may run concurrently. */
  startServer(env?: Readonly<Record<string, string>>): Promise<ProductionServer>;
}

/**
 * @param env settings of every server
 * @param folder where the database lies, a small file system for instance; by default a new folder, removed in the end
 * @param wordPausesMs before each word of an answer: one of these for all of it. Default: answers of one to four seconds
 */
export async function createDeepWorld({
  env = {},
  folder,
  wordPausesMs = WORD_PAUSES_MS,
}: {
  env?: Readonly<Record<string, string>>;
  folder?: string;
  wordPausesMs?: readonly number[];
} = {}): Promise<DeepWorld> {
  const place = folder ?? mkdtempSync(join(tmpdir(), 'throughline-deep-'));
  const databaseFile = join(place, 'site.db');
  const provider = await startFakeOpenRouter({ respond: (request) => answerTo(request, wordPausesMs) });
  const common = {
    OPENROUTER_API_KEY: 'test-key',
    OPENROUTER_BASE_URL: provider.baseUrl,
    DEFAULT_MODEL: 'openai/gpt-4o',
    CONTEXT_WINDOW: '16000',
    LOG_LEVEL: 'warn',
    // All conversations are one owner's here.
    RUNNING_TURNS: '100',
    TURNS_PER_MINUTE: '100000',
    REQUESTS_PER_MINUTE: '100000',
    ...env,
  };
  return {
    databaseFile,
    provider,
    startServer: (own = {}) => startProductionServer({ databaseFile, env: { ...common, ...own } }),
    async [Symbol.asyncDispose]() {
      await provider.close();
      if (folder === undefined) rmSync(place, { recursive: true, force: true });
    },
  };
}

/** The text that the provider says to the message with this mark: each word names its place. */
export function answerWords(mark: string): string[] {
  return Array.from({ length: ANSWER_WORDS }, (_, index) => `${mark}w${String(index)} `);
}

/** The page that is made for the message with this mark; null: none. */
export function pageFor(mark: string): string | null {
  return numberOf(mark) % PAGE_EVERY === 0 ? `Page ${mark}` : null;
}

/** To the newest mark of the newest user message; a page is made before the answer is written. */
function answerTo(request: ParsedRequest, wordPausesMs: readonly number[]): FakeResponse {
  if (isSummaryRequest(request)) return { text: summaryText, chunkDelayMs: 20 };
  const asked = request.messages.findLast(({ role }) => role === 'user');
  const mark = marksIn(JSON.stringify(asked)).at(-1) ?? 'm0x0x';
  const chunkDelayMs = wordPausesMs[numberOf(mark) % wordPausesMs.length] ?? 0;
  const title = pageFor(mark);
  const isCalled = request.messages.at(-1)?.role === 'tool';
  if (title === null || isCalled) return { chunks: answerWords(mark), chunkDelayMs };
  return { toolCalls: [{ id: `call_${mark}`, name: 'create_content', input: { type: 'page', title } }], chunkDelayMs };
}

/** The second number of a mark. */
function numberOf(mark: string): number {
  return Number(mark.split('x')[1]);
}
