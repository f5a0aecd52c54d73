import { statSync } from 'node:fs';
import type { NewMessage } from '#server/core/conversation/messages';
import { distinctTurns } from '#tests/bench/server/fill-history';
import { COMMON_TITLE, fillSessions, RARE_TITLE } from '#tests/bench/server/fill-sessions';
import type { Measure } from '#tests/bench/server/growth';
import { growthRows, medians, type Probe, warmUp } from '#tests/bench/server/probes';
import type { GrowthFigures } from '#tests/bench/server/report';
import { timedGet, turn, withDatabase, type World } from '#tests/bench/server/world';
import { processFigures } from '#tests/bench/support/process-figures';
import { newSession } from '#tests/bench/support/stream-answer';
import type { ProductionServer } from '#tests/support/production-server';

/** Each size has its own server, which has to compile everything first. */
const WARM_UP_ROUNDS = 25;

const OTHERS: readonly Measure[] = [
  { measure: 'start of the server', unit: 'ms', isConstant: true },
  { measure: 'database, per session', unit: 'bytes', isConstant: true },
  { measure: 'memory of the server before the rounds', unit: 'MB', isConstant: true },
];

/**
 * What a server costs whose sessions grow by tens. Each size has its own database file and server, all running
 * concurrently, so that they can be measured in turns.
 */
export async function measureSessions(
  world: World,
  sizes: readonly number[],
  rounds: number,
  tell: (line: string) => void,
): Promise<GrowthFigures> {
  const distinct = await distinctTurns();
  const probes: (readonly Probe[])[] = [];
  const others: number[][] = [];
  const servers: ProductionServer[] = [];
  for (const size of sizes) {
    tell(`sessions: filling ${size}`);
    const file = world.databaseFile(`sessions-${size}`);
    const { id, bytes } = await fill(file, distinct, size);
    tell(`sessions: ${size}, first look`);
    const startedAt = performance.now();
    const server = await world.startServer(file);
    const started = performance.now() - startedAt;
    servers.push(server);
    const ofSize = probesOf(server.url, id);
    await warmUp(ofSize, WARM_UP_ROUNDS);
    probes.push(ofSize);
    others.push([started, bytes / size, processFigures(server.pid).memory]);
  }
  tell(`sessions: ${rounds} rounds`);
  const taken = await medians(probes, rounds);
  await Promise.all(servers.map((server) => server.stop()));
  return { sizes, rows: [...growthRows(probes[0]!, sizes, taken), ...growthRows(OTHERS, sizes, others)] };
}

/** @returns the id of the newest session, and what the sessions took of the file */
async function fill(file: string, distinct: readonly NewMessage[][], count: number) {
  await withDatabase(file, () => Promise.resolve());
  const empty = statSync(file).size;
  const id = await withDatabase(file, (database) => fillSessions(database, distinct, count));
  return { id, bytes: statSync(file).size - empty };
}

function probesOf(url: string, id: string): Probe[] {
  const get = (measure: string, path: string, isConstant = true): Probe => ({
    measure,
    unit: 'ms',
    isConstant,
    take: () => timedGet(`${url}${path}`),
  });
  return [
    get('list of sessions, first page', '/api/sessions'),
    get('title search, found early', `/api/sessions?q=${COMMON_TITLE}`),
    get('title search, all titles read', `/api/sessions?q=${RARE_TITLE}`, false),
    {
      measure: 'creating a session',
      unit: 'ms',
      isConstant: true,
      take: async () => {
        const startedAt = performance.now();
        await newSession(url);
        return performance.now() - startedAt;
      },
    },
    {
      measure: 'first token of a turn in one',
      unit: 'ms',
      isConstant: true,
      take: async () => (await turn(url, await newSession(url), 'stream 20 every 0')).first,
    },
    get('opening one: its newest messages', `/api/sessions/${id}/messages?format=ui&limit=40`),
    get('search in one', `/api/sessions/${id}/search?q=kiln`),
    get("the administrator's table, first page", '/api/admin/sessions'),
  ];
}
