import { statSync } from 'node:fs';
import { COMMON_WORD, distinctTurns, fillHistory, RARE_WORD } from '#tests/bench/server/fill-history';
import { growthOf } from '#tests/bench/server/growth';
import { growthRows, medians, type Probe, warmUp } from '#tests/bench/server/probes';
import type { GrowthFigures } from '#tests/bench/server/report';
import { timedGet, turn, withDatabase, type World } from '#tests/bench/server/world';
import { processFigures } from '#tests/bench/support/process-figures';

const WARM_UP_ROUNDS = 4;
const MEGABYTE = 2 ** 20;

/** What a session costs whose history grows by tens; all sessions are in one database file behind one server. */
export async function measureHistory(
  world: World,
  sizes: readonly number[],
  rounds: number,
  tell: (line: string) => void,
): Promise<GrowthFigures> {
  const file = world.databaseFile('history');
  const filled = await fill(file, sizes, tell);
  tell('history: start of the server');
  const server = await world.startServer(file);
  const probes = filled.map(({ id }) => probesOf(server.url, id));
  const memory: number[] = [];
  for (const [index, ofSize] of probes.entries()) {
    tell(`history: ${sizes[index]} messages, first look`);
    await warmUp(ofSize, WARM_UP_ROUNDS);
    memory.push(processFigures(server.pid).memory);
  }
  tell(`history: ${rounds} rounds`);
  const values = await medians(probes, rounds);
  await server.stop();
  const perMessage = filled.map(({ bytes }, index) => bytes / sizes[index]!);
  return {
    sizes,
    rows: [
      ...growthRows(probes[0]!, sizes, values),
      growthOf({ measure: 'database, per message', unit: 'bytes', isConstant: true }, sizes, perMessage),
      growthOf({ measure: 'memory of the server after it', unit: 'MB', isConstant: true }, sizes, memory),
    ],
  };
}

async function fill(file: string, sizes: readonly number[], tell: (line: string) => void) {
  const distinct = await distinctTurns();
  const filled: { id: string; bytes: number }[] = [];
  await withDatabase(file, () => Promise.resolve());
  for (const size of sizes) {
    tell(`history: filling ${size} messages`);
    const before = statSync(file).size;
    const id = await withDatabase(file, (database) => fillHistory(database, distinct, size));
    filled.push({ id, bytes: statSync(file).size - before });
  }
  tell(`history: the database has ${Math.round(statSync(file).size / MEGABYTE)} MB`);
  return filled;
}

function probesOf(url: string, id: string): Probe[] {
  const session = `${url}/api/sessions/${id}`;
  const get = (measure: string, address: string, isConstant = true): Probe => ({
    measure,
    unit: 'ms',
    isConstant,
    take: () => timedGet(address),
  });
  return [
    {
      measure: 'first token of a turn',
      unit: 'ms',
      isConstant: true,
      take: async () => (await turn(url, id, 'stream 20 every 0')).first,
    },
    {
      measure: 'whole turn',
      unit: 'ms',
      isConstant: true,
      take: async () => (await turn(url, id, 'stream 20 every 0')).total,
    },
    // As the browser asks for it.
    get('opening it: its newest messages', `${session}/messages?format=ui&limit=40`),
    get('opening it: its page', `${url}/c/${id}`),
    get('context report', `${session}/context`),
    get('context over time (chart)', `${session}/context/history`, false),
    get('search for a rare word', `${session}/search?q=${RARE_WORD}`, false),
    get('search for a word of every turn', `${session}/search?q=${COMMON_WORD}`, false),
  ];
}
