import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process that holds leases, as its leases name it. */
export interface LeaseHolder {
  /** Boot id of its machine, or the machine's name if no boot id is available. */
  readonly machine: string;
  /** Number of its PID namespace: containers share process ids. Empty: unknown. */
  readonly namespace: string;
  readonly pid: number;
  /** Start of the process, in ticks since the boot: process ids are reused. Empty: unknown. */
  readonly startedAt: string;
}

/**
 * State of a holder, as far as this process can find out. `own`: this process. `dead` and `alive`: another process of this
 * machine, with proof. `unsure`: a process on another machine, in another container, or hidden from us.
 */
export type HolderState = 'own' | 'dead' | 'alive' | 'unsure';

let described: LeaseHolder | undefined;

/** This process, described once. */
export function thisProcess(): LeaseHolder {
  return (described ??= describeThisProcess() ?? {
    machine: hostname(),
    namespace: '',
    pid: process.pid,
    startedAt: '',
  });
}

/** Null if the system does not report all values: it is not Linux, or /proc is not ours. */
function describeThisProcess(): LeaseHolder | null {
  try {
    if (readlinkSync('/proc/self') !== String(process.pid)) return null;
    const machine = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    const startedAt = readStat(process.pid)?.startedAt;
    return machine && namespace && startedAt ? { machine, namespace, pid: process.pid, startedAt } : null;
  } catch {
    return null;
  }
}

/** Finds out whether the process of a lease still runs, as far as that is possible from here. */
export function stateOf({ machine, namespace, pid, startedAt }: LeaseHolder): HolderState {
  const here = thisProcess();
  if (machine !== here.machine || namespace !== here.namespace) return 'unsure';
  if (pid === here.pid && startedAt === here.startedAt) return 'own';
  if (namespace === '') return 'unsure';
  if (!isProcess(pid)) return 'dead';
  const stat = readStat(pid);
  if (stat === null) return 'unsure';
  return stat.startedAt === startedAt && stat.runs ? 'alive' : 'dead';
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, but exists.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Null if it cannot be read: processes of other users may be hidden. */
function readStat(pid: number): { readonly startedAt: string; readonly runs: boolean } | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The second field is the program's name in brackets and may contain any text. Field numbers as in proc(5): 3 and
    // 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startedAt = fields[22 - 3];
    // A zombie no longer runs; its exit code has not been collected yet.
    return startedAt === undefined ? null : { startedAt, runs: !/^[ZX]/.test(fields[0] ?? '') };
  } catch {
    return null;
  }
}
