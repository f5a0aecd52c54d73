import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewMessage } from '#server/core/messages';
import type { NewPart } from '#server/core/parts';
import { ContextManager } from '#server/context/context-manager';
import type { ContextRequest } from '#server/context/ports';
import { defaultSettings } from '#server/context/settings/context-settings';
import { withTokens } from '#server/context/part-tokens';
import { createCompactionRepository } from '#server/store/compaction-repository';
import { createContextStore } from '#server/store/context-store';
import { createSessionRepository } from '#server/store/session-repository';
import { createKeptWishRepository } from '#server/store/kept-wish-repository';
import { type Database, openDatabase } from '#server/store/database';
import { createMessageRepository } from '#server/store/message-repository';
import { median, milliseconds, printRow } from '#tests/bench/support/figures';
import { compactionCommit } from '#tests/support/compaction-commit';

/*
 * What it costs to prepare a step on a long session (npm run bench:engine). Both sessions end in the same view: the
 * same summary and the same newest messages. What lies before must not matter.
 */

const LONG = 10_000;
const SHORT = 500;
/** Newest messages that both views show. */
const TAIL = 200;
const RUNS = 60;
/** Calls with a large input. */
const WRITES = 400;
/** Aim: the long session's prepare costs at most this many times the short one's. */
const AIM = 2;

interface Engine {
  readonly database: Database;
  readonly manager: ContextManager;
  readonly messages: ReturnType<typeof createMessageRepository>;
  readonly compactions: ReturnType<typeof createCompactionRepository>;
  readonly sessions: ReturnType<typeof createSessionRepository>;
}

async function openEngine(url: string): Promise<Engine> {
  const database = await openDatabase({ url });
  const sessions = createSessionRepository(database);
  const messages = createMessageRepository(database);
  const compactions = createCompactionRepository(database);
  const wishes = createKeptWishRepository(database);
  const settings = { ...defaultSettings, exemptTools: new Set<string>() };
  const store = createContextStore({
    sessions,
    messages,
    compactions,
    wishes,
    settings: { current: () => defaultSettings },
  });
  const ledger = () => Promise.resolve([]);
  const manager = new ContextManager({ store, ledger, settings: () => settings, now: Date.now });
  return { database, manager, messages, compactions, sessions };
}

/** Four messages of editing, about 400 tokens. */
function turn(index: number): NewMessage[] {
  const toolCallId = `call_${index}`;
  const words = (count: number) => `Turn ${index}: ${'the kiln shelf by the window holds nine bowls '.repeat(count)}`;
  const part = (each: NewPart): NewPart => withTokens(each);
  const content = { toolCallId, toolName: 'get_content' };
  const input = { ref: `pag_k7m${index % 10}p9` };
  return [
    { role: 'user', parts: [part({ type: 'text', content: { text: words(3) } })] },
    { role: 'assistant', parts: [part({ type: 'tool-call', content: { ...content, input } })] },
    {
      role: 'tool',
      parts: [part({ type: 'tool-result', content: { ...content, output: { type: 'text', value: words(29) } } })],
    },
    { role: 'assistant', parts: [part({ type: 'text', content: { text: words(6) } })] },
  ];
}

/** Three messages that write one section of about 1,500 tokens. */
function writingTurn(index: number): NewMessage[] {
  const content = { toolCallId: `call_${index}`, toolName: 'update_section' };
  const body = `Draft ${index}: ${'every bowl on this shelf was thrown by hand and fired twice '.repeat(120)}`;
  const part = (each: NewPart): NewPart => withTokens(each);
  const output = { type: 'json', value: { id: `sec_${index}` } } as const;
  return [
    { role: 'user', parts: [part({ type: 'text', content: { text: `Write section ${index}` } })] },
    { role: 'assistant', parts: [part({ type: 'tool-call', content: { ...content, input: { ref: 'home', body } } })] },
    { role: 'tool', parts: [part({ type: 'tool-result', content: { ...content, output } })] },
  ];
}

/** What looking at a session costs whose old calls have large inputs, the first time and every step after. */
async function benchInputs({ sessions, messages, manager }: Engine): Promise<void> {
  const { id } = await sessions.create({ ownerId: 'own_local' });
  await messages.appendMany(id, Array.from({ length: WRITES }, (_, index) => writingTurn(index)).flat());
  for (const modelId of ['openai/gpt-4o', 'openai/gpt-4']) {
    const { target, ...request } = requestFor(id, 2_000_000);
    const inspect = () => timed(() => manager.inspect({ ...request, target: { ...target, modelId } }));
    const first = await inspect();
    const again: number[] = [];
    for (let run = 0; run < RUNS / 4; run += 1) again.push((await inspect()).ms);
    printRow(`first look at ${WRITES} large inputs, ${modelId}`, milliseconds(first.ms));
    printRow(`  each look after it (median of ${RUNS / 4})`, milliseconds(median(again)));
  }
}

/** A session whose newest messages are the same whatever its length; returns its id and tokens. */
async function fill({ sessions, messages }: Engine, count: number): Promise<{ id: string; tokens: number }> {
  const { id } = await sessions.create({ ownerId: 'own_local' });
  const turns = Array.from({ length: count / 4 }, (_, index) => turn(LONG / 4 - count / 4 + index));
  const all = turns.flat();
  for (let start = 0; start < all.length; start += 1_000) {
    await messages.appendMany(id, all.slice(start, start + 1_000));
  }
  return { id, tokens: all.flatMap(({ parts }) => parts).reduce((sum, { tokens = 0 }) => sum + tokens, 0) };
}

/** @param keepOldest also keep the oldest message, behind the summary */
async function compactAllBut(
  tail: number,
  { messages, compactions }: Engine,
  id: string,
  keepOldest = false,
): Promise<void> {
  const { messages: all } = await messages.loadView(id);
  const summary = 'What was said and done before. '.repeat(300);
  const commit = compactionCommit({
    strategy: 'ledger',
    trigger: 'manual',
    tokensBefore: 1_000_000,
    tokensAfter: 20_000,
    compactedMessageIds: all.slice(0, -tail).map((message) => message.id),
    // The oldest and one from the middle: strategies that choose messages keep some that lie far apart.
    keptAfterSummary: keepOldest ? [all[0]?.id ?? '', all[all.length / 2]?.id ?? ''] : [],
    firstKeptMessageId: all.at(-tail)?.id ?? '',
    summary,
    summaryTokens: 1_800,
  });
  await compactions.recordCompaction(id, commit);
}

function requestFor(sessionId: string, contextWindow = 200_000): ContextRequest {
  const fixed = { instructions: 1_500, tools: 2_500 };
  const target = {
    modelId: 'openai/gpt-4o',
    contextWindow,
    maxOutputTokens: 16_000,
    warning: null,
    tokenFactor: 1,
    fixed,
  };
  return { sessionId, target, summarizer: null };
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

async function bench(url: string): Promise<void> {
  const building = await openEngine(url);
  const long = await fill(building, LONG);
  const short = await fill(building, SHORT);
  const whole = await fill(building, LONG);
  await compactAllBut(TAIL, building, long.id);
  await compactAllBut(TAIL, building, short.id);
  const scattered = await fill(building, LONG);
  await compactAllBut(TAIL, building, scattered.id, true);
  await building.database.close();
  printRow(`tokens of ${LONG.toLocaleString('en-US')} messages`, long.tokens.toLocaleString('en-US'));

  const engine = await openEngine(url);
  const prepare = (id: string, window?: number) => timed(() => engine.manager.prepare(requestFor(id, window)));
  const cold = await prepare(long.id);
  const other = await prepare(short.id);
  const same = JSON.stringify(cold.value.messages) === JSON.stringify(other.value.messages);
  if (!same) throw new Error('The two sessions do not end in the same view.');
  printRow(`view of both: ${cold.value.messages.length} messages, tokens`, String(cold.value.usage.currentTokens));
  printRow(`first cold prepare, ${LONG.toLocaleString('en-US')} messages, compacted`, milliseconds(cold.ms));

  const times: { long: number[]; short: number[]; scattered: number[] } = { long: [], short: [], scattered: [] };
  for (let run = 0; run < RUNS; run += 1) {
    times.long.push((await prepare(long.id)).ms);
    times.short.push((await prepare(short.id)).ms);
    times.scattered.push((await prepare(scattered.id)).ms);
  }
  const [slow, fast] = [median(times.long), median(times.short)];
  printRow(`warm prepare, ${LONG.toLocaleString('en-US')} messages (median of ${RUNS})`, milliseconds(slow));
  printRow(`warm prepare, ${SHORT} messages (median of ${RUNS})`, milliseconds(fast));
  printRow(`ratio (aim: at most ${AIM})`, (slow / fast).toFixed(2));

  printRow(`warm prepare, kept messages far apart`, milliseconds(median(times.scattered)));

  const uncompacted = await prepare(whole.id, 2_000_000);
  printRow(`first prepare, ${LONG.toLocaleString('en-US')} messages, nothing compacted`, milliseconds(uncompacted.ms));
  const compaction = await prepare(whole.id);
  printRow(`prepare that prunes and compacts all of them (no model)`, milliseconds(compaction.ms));
  const { compaction: outcome, tokens } = compaction.value;
  printRow(
    `  messages compacted; tokens before, after`,
    `${outcome?.messagesCompacted ?? 0}; ${tokens.before}, ${tokens.final}`,
  );
  await benchInputs(engine);
  await engine.database.close();
  if (slow > fast * AIM) process.exitCode = 1;
}

const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
try {
  await bench(`file:${join(folder, 'bench.db')}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
