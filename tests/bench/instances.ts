import { isBuilt } from '#scripts/lib/source-hash';
import { parseArgs } from 'node:util';
import { exitWithMessage, withUsage } from '#scripts/lib/process';
import { benchDatabases } from '#tests/bench/server/databases';
import { findProgram } from '#scripts/lib/tests/programs';
import { createWorld, turn, type World } from '#tests/bench/server/world';
import { percentile, printRow } from '#tests/bench/support/figures';
import { processFigures } from '#tests/bench/support/process-figures';
import { newSession, type Timing } from '#tests/bench/support/stream-answer';
import { startRedis } from '#tests/peers/support/redis-server';

const USAGE = `npm run bench:instances -- [options]
  --cases databases,instances   a database server beside a file; two instances beside one
`;

/*
 * Compares a database server with a file and counts its requests, and one instance with two that share a database file
 * and a Redis, under the same load (npm run bench:instances). All run on one machine: it measures the cost of sharing, not
 * the gain of a second machine. An incomplete stream fails it.
 */

const LEVELS = [100, 300];
const WORDS = 'stream 500 every 5';
const WARM_UP = { turns: 40, words: 'stream 200 every 0' };

async function measure(world: World, instances: number, env: Readonly<Record<string, string>>): Promise<void> {
  const file = world.databaseFile(`instances-${instances}`);
  const first = await world.startServer(file, env);
  const others = Array.from({ length: instances - 1 }, () => world.startServer(file, env));
  const servers = [first, ...(await Promise.all(others))];
  const stream = async (index: number, words: string) => {
    const { url } = servers[index % servers.length]!;
    return turn(url, await newSession(url), words);
  };
  for (let index = 0; index < WARM_UP.turns; index += 1) await stream(index, WARM_UP.words);
  for (const level of LEVELS) {
    const results = await Promise.allSettled(Array.from({ length: level }, (_, index) => stream(index, WORDS)));
    const failed = results.filter((result) => result.status === 'rejected');
    for (const { reason } of failed) process.stderr.write(`${String(reason)}\n`);
    if (failed.length > 0) process.exitCode = 1;
    const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const of = (name: keyof Timing) => {
      const times = done.map((timing) => timing[name]);
      return [0.5, 0.95].map((p) => `${(percentile(times, p) / 1_000).toFixed(2)} s`).join(' / ');
    };
    const memory = servers.map(({ pid }) => `${Math.round(processFigures(pid).peakMemory)} MB`).join(' + ');
    const name = `${instances === 1 ? 'one instance' : `${instances} instances`}, ${level} streams ("${WORDS}")`;
    printRow(name, `${done.length} complete`, of('first'), of('total'), memory);
  }
  for (const server of servers) await server.stop();
}

async function run(): Promise<void> {
  if (!(await isBuilt())) throw new Error('There is no build of the present sources: npm run build first.');
  const { values } = withUsage(USAGE, () =>
    parseArgs({ options: { cases: { type: 'string', default: 'databases,instances' } } }),
  );
  const cases = values.cases.split(',');
  if (cases.includes('databases')) await benchDatabases();
  if (!cases.includes('instances')) return;
  const redisProgram = findProgram(['redis-server']);
  if (redisProgram === undefined)
    throw new Error('Two instances need redis-server (Debian: apt-get install redis-server).');
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  await using stack = new AsyncDisposableStack();
  const world = await createWorld(stack);
  await using redis = await startRedis(redisProgram);
  printRow('', 'streams', 'first word: p50 / p95', 'whole: p50 / p95', 'most memory');
  await measure(world, 1, {});
  await measure(world, 2, { REDIS_URL: redis.url });
}

await run().catch(exitWithMessage);
