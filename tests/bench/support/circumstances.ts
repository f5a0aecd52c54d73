import { availableParallelism, cpus, totalmem, type } from 'node:os';

/** The machine that figures were measured on. */
export function machine() {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: type(),
  };
}

/** The command that measured them, as it is typed. */
export function commandOf(script: string, args: readonly string[]): string {
  return [`npm run ${script}`, ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
}
