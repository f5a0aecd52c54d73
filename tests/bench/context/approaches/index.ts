import { existsSync } from 'node:fs';
import { installBenchPeers } from '#tests/bench/bench-peers';
import type { Approach } from '#tests/bench/context/approach';
import { keepLast } from '#tests/bench/context/approaches/keep-last';
import { pruning } from '#tests/bench/context/approaches/prune-messages';
import { throughline } from '#tests/bench/context/approaches/throughline';

/** A separate package, unknown to this project's types. */
const PEERS = new URL('../../peers/index.ts', import.meta.url);

/** Everything that is measured: this project's strategies, what needs no package, and the peers where they can be installed. */
export async function allApproaches(): Promise<Approach[]> {
  const own = [...throughline, keepLast, pruning];
  if (!existsSync(PEERS)) return own;
  if (!(await installBenchPeers('tests/bench/peers', '450 MB'))) {
    console.log('SKIPPED: the other projects could not be installed (see above). Only this project is measured.');
    return own;
  }
  const { peers } = (await import(PEERS.href)) as { peers: () => Promise<Approach[]> };
  return [...own, ...(await peers())];
}
