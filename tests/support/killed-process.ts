import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Lease } from '#server/core/conversation/turns';

const REPORT = `
  import { newLease } from '#server/platform/database/leases';
  process.send(newLease(Number(process.argv[1])));
  process.channel.ref();
`;

/** A process of this machine that lives until it is killed, with a lease. */
export async function startHolder(leaseMs: number): Promise<{ readonly lease: Lease; readonly child: ChildProcess }> {
  const args = ['--input-type=module-typescript', '--eval', REPORT, String(leaseMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [lease] = (await once(child, 'message')) as [Lease];
  return { lease, child };
}

/** The lease of a process that held it when it was killed. */
export async function leaseOfKilledProcess(leaseMs: number): Promise<Lease> {
  const { lease, child } = await startHolder(leaseMs);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  return lease;
}
