import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompletionContext } from '#server/integrations/openai/completion-context';
import { CompactionCache } from '#server/integrations/openai/compaction-cache';
import type { NewMessage } from '#server/core/conversation/messages';
import { parseEnv } from '#server/platform/config/env';
import { createModelRegistry } from '#server/models/model-registry';
import { type Database, openDatabase } from '#server/platform/database/database';
import { createCompactionCacheRepository } from '#server/integrations/openai/compaction-cache-repository';
import { engineProcess } from '#tests/support/small-engine';
import { median, milliseconds, printRow } from '#tests/bench/support/figures';

/*
 * What it costs to bring a conversation that its client keeps (`/v1`) under a window of 128,000 tokens: all of it comes
 * with every call (npm run bench:engine).
 */

const MESSAGES = 2_000;
const RUNS = 30;
const WINDOW = 128_000;

/** Two messages, about 300 tokens. */
function turn(index: number): NewMessage[] {
  const words = (count: number) => `Turn ${index}: ${'the kiln shelf by the window holds nine bowls '.repeat(count)}`;
  return [
    { role: 'user', parts: [{ type: 'text', content: { text: words(4) } }] },
    { role: 'assistant', parts: [{ type: 'text', content: { text: words(29) } }] },
  ];
}

async function bench(database: Database): Promise<void> {
  const process = {
    ...engineProcess(),
    models: createModelRegistry(parseEnv({ CONTEXT_WINDOW: String(WINDOW) })),
    calibrations: {
      factor: (_: string, fallback: number) => fallback,
      learn: () => Promise.resolve(),
      learnExact: () => Promise.resolve(),
      accept: () => undefined,
      largestAccepted: () => 0,
    },
    rounds: new CompactionCache(createCompactionCacheRepository(database), (message, error) => {
      throw new Error(message, { cause: error });
    }),
  };
  const call = async (turns: number) => {
    const history = Array.from({ length: turns }, (_, index) => turn(index)).flat();
    const messages: NewMessage[] = [
      ...history,
      { role: 'user', parts: [{ type: 'text', content: { text: 'Go on' } }] },
    ];
    const start = performance.now();
    const of = { ownerId: 'own_1', modelId: 'throughline/offline', messages, instructions: null, tools: '' };
    const context = await CompletionContext.open(process, of);
    await context.prepare();
    return { ms: performance.now() - start, report: context.report() };
  };
  const first = await call(MESSAGES / 2);
  printRow(
    `first call, ${MESSAGES.toLocaleString('en-US')} messages of a client, compacted (no model)`,
    milliseconds(first.ms),
  );
  printRow('  tokens before, after', `${first.report?.tokensBefore}, ${first.report?.tokensAfter}`);
  const times: number[] = [];
  for (let run = 1; run <= RUNS; run += 1) {
    const { ms, report } = await call(MESSAGES / 2 + run);
    if (report?.summary !== 'kept') throw new Error('The summary was written again.');
    times.push(ms);
  }
  printRow(`each call after it, growing (median of ${RUNS})`, milliseconds(median(times)));
}

const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
try {
  const database = await openDatabase({ url: `file:${join(folder, 'bench.db')}` });
  await bench(database);
  await database.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
