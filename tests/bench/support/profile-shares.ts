import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part that is read of what `node --cpu-prof` writes. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** Share of the processor's time that one part of the program took. */
export interface ProfileShare {
  readonly part: string;
  /** Of all time that was not idle, 0 to 1. */
  readonly share: number;
}

/** Where the time of a process went, by package, the largest first. @param folder with the profile it wrote at its end */
export function profileShares(folder: string): ProfileShare[] {
  const [newest] = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile)
    .toSorted((one, other) => other.samples.length - one.samples.length);
  if (!newest) throw new Error(`There is no profile in ${folder}.`);
  const parts = new Map(newest.nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
  const times = new Map<string, number>();
  let sum = 0;
  for (const [index, id] of newest.samples.entries()) {
    const part = parts.get(id) ?? null;
    if (part === null) continue;
    const time = newest.timeDeltas[index] ?? 0;
    times.set(part, (times.get(part) ?? 0) + time);
    sum += time;
  }
  return [...times]
    .map(([part, time]) => ({ part, share: time / sum }))
    .toSorted((one, other) => other.share - one.share);
}

/** Null: idle. */
function partOf({ functionName, url }: Profile['nodes'][number]['callFrame']): string | null {
  if (functionName === '(idle)') return null;
  if (functionName === '(garbage collector)') return 'garbage collector';
  const [, pack] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (pack) return pack;
  if (url.includes('/.next/server/')) return 'our code, and what is bundled with it';
  if (url.startsWith('node:internal/webstreams')) return 'node: web streams';
  if (url.startsWith('node:')) return `node: ${/^node:(?:internal\/)?([^/]+)/.exec(url)?.[1]}`;
  return url === '' ? 'native code (system calls, SQLite, JSON, timers)' : 'our code, and what is bundled with it';
}
