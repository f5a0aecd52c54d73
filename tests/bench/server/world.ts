import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '#server/platform/database/database';
import { NO_LIMITS } from '#tests/bench/support/no-limits';
import { startChild } from '#tests/bench/support/start-child';
import { lastWordOf, streamAnswer, type Timing, userMessage } from '#tests/bench/support/stream-answer';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

const MODEL = 'openai/gpt-4o';

/** What a bench of the server runs in: a folder, a provider, servers. All of it ends with the stack. */
export interface World {
  /** A path for a new database file. */
  databaseFile(name: string): string;
  /** The built app over that file, with the scripted provider. */
  startServer(databaseFile: string, env?: Readonly<Record<string, string>>): Promise<ProductionServer>;
}

export async function createWorld(stack: AsyncDisposableStack): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
  // However it ends; a server that ends at the same time may still write.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const provider = await startChild('scripted-provider.ts');
  stack.defer(() => void provider.child.kill());
  const env = {
    ...NO_LIMITS,
    OPENROUTER_API_KEY: 'bench',
    OPENROUTER_BASE_URL: provider.url,
    DEFAULT_MODEL: MODEL,
    LOG_LEVEL: 'error',
  };
  return {
    databaseFile: (name) => join(folder, `${name}.db`),
    async startServer(databaseFile, more = {}) {
      const server = await startProductionServer({ databaseFile, env: { ...env, ...more } });
      stack.defer(async () => {
        await server.stop();
      });
      return server;
    },
  };
}

/** Opens a database file for `work`. Closing leaves everything in the one file, so that its size can be read. */
export async function withDatabase<T>(file: string, work: (database: Database) => Promise<T>): Promise<T> {
  await using database = await openDatabase({ url: `file:${file}` });
  return await work(database);
}

/** One turn in a session, to its end. `words` says what the provider streams. */
export function turn(url: string, sessionId: string, words: string): Promise<Timing> {
  return streamAnswer(`${url}/api/chat`, { id: sessionId, message: userMessage(words) }, lastWordOf(words));
}

/**
 * Milliseconds until the whole answer has arrived.
 * @throws for anything but an answer
 */
export async function timedGet(url: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url);
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.status} of ${url}: ${body.slice(0, 300)}`);
  return performance.now() - startedAt;
}
