import { statSync } from 'node:fs';
import type { NewMessage } from '#server/core/conversation/messages';
import { COMMON_WORD, distinctTurns, fillHistory, RARE_WORD } from '#tests/bench/server/fill-history';
import { fillSessions } from '#tests/bench/server/fill-sessions';
import { growthOf } from '#tests/bench/server/growth';
import { growthRows, medians, type Probe, warmUp } from '#tests/bench/server/probes';
import type { GrowthFigures } from '#tests/bench/server/report';
import { timedGet, turn, withDatabase, type World } from '#tests/bench/server/world';
import { processFigures } from '#tests/bench/support/process-figures';
import type { ProductionServer } from '#tests/support/production-server';

/** Each size has its own server, which has to compile everything first. */
const WARM_UP_ROUNDS = 12;
/** Short sessions next to the long one: more than a page of the list. */
const OTHER_SESSIONS = 60;

/** What a session costs whose history grows by tens. Each size has its own database file and server. */
export async function measureHistory(
  world: World,
  sizes: readonly number[],
  rounds: number,
  tell: (line: string) => void,
): Promise<GrowthFigures> {
  const distinct = await distinctTurns();
  const probes: Probe[][] = [];
  const servers: ProductionServer[] = [];
  const perMessage: number[] = [];
  for (const size of sizes) {
    tell(`filling ${size} messages`);
    const file = world.databaseFile(`history-${size}`);
    const { id, bytes } = await fill(file, distinct, size);
    perMessage.push(bytes / size);
    const server = await world.startServer(file);
    servers.push(server);
    probes.push(probesOf(server.url, id));
  }
  for (const [index, ofSize] of probes.entries()) {
    tell(`${sizes[index]} messages, first looks`);
    await warmUp(ofSize, WARM_UP_ROUNDS);
  }
  tell(`${rounds} rounds`);
  const values = await medians(probes, rounds);
  const memory = servers.map(({ pid }) => processFigures(pid).memory);
  await Promise.all(servers.map((server) => server.stop()));
  return {
    sizes,
    rows: [
      ...growthRows(probes[0]!, sizes, values),
      growthOf({ measure: 'database, per message', unit: 'bytes', isConstant: true }, sizes, perMessage),
      growthOf({ measure: 'memory of the server after it', unit: 'MB', isConstant: true }, sizes, memory),
    ],
  };
}

/** @returns the id of the long session, and what it took of the file */
async function fill(file: string, distinct: readonly NewMessage[][], count: number) {
  await withDatabase(file, (database) => fillSessions(database, distinct, OTHER_SESSIONS));
  const before = statSync(file).size;
  const id = await withDatabase(file, (database) => fillHistory(database, distinct, count));
  return { id, bytes: statSync(file).size - before };
}

function probesOf(url: string, id: string): Probe[] {
  const session = `${url}/api/sessions/${id}`;
  const probe = (measure: string, take: () => Promise<number>): Probe => ({
    measure,
    unit: 'ms',
    isConstant: true,
    take,
  });
  const get = (measure: string, address: string) => probe(measure, () => timedGet(address));
  return [
    // As the browser requests it.
    get('opening it: its newest messages', `${session}/messages?format=ui&limit=40`),
    get('opening it: its page', `${url}/c/${id}`),
    get('context report', `${session}/context`),
    { ...get('context over time (chart)', `${session}/context/history`), isConstant: false },
    get('search for a rare word', `${session}/search?q=${RARE_WORD}`),
    get('search for a word of every turn', `${session}/search?q=${COMMON_WORD}`),
    get('list of sessions', `${url}/api/sessions`),
    get("the administrator's list of sessions", `${url}/api/admin/sessions`),
    probe('a step: first token', async () => (await turn(url, id, 'stream 20 every 0')).first),
    probe('a step: whole', async () => (await turn(url, id, 'stream 20 every 0')).total),
    probe(
      'a step that reads the site, and its answer',
      async () => (await turn(url, id, 'list, stream 20 every 0')).total,
    ),
  ];
}
