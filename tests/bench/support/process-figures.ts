import { readFileSync } from 'node:fs';

/** Of `/proc/[pid]/stat`: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** What a process holds and has used. */
export interface ProcessFigures {
  /** Resident memory, megabytes. */
  readonly memory: number;
  /** The most it ever held. */
  readonly peakMemory: number;
  /** Seconds of processor time, of all its threads, since it began. */
  readonly cpuSeconds: number;
}

/** Figures of a running process; NaN where the system has no `/proc`. */
export function processFigures(pid: number): ProcessFigures {
  const status = read(`/proc/${pid}/status`);
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  // The name of the program comes second, in brackets, and may hold anything.
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  return { memory: megabytes('VmRSS'), peakMemory: megabytes('VmHWM'), cpuSeconds };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
