import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem, type } from 'node:os';
import { dirname } from 'node:path';
import { formatted } from '#scripts/lib/tests/formatted';

/* What the benches of the server share around their figures: options, circumstances, progress, pages. */

/** The machine that figures were measured on. */
export function machine() {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: type(),
  };
}

/** The command line that measured them. */
export function commandOf(script: string, args: readonly string[]): string {
  return [`npm run ${script}`, ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
}

/** The machine in words, as a page of figures names it. */
export function machineText(): string {
  const { cores, processor, memoryGb, system } = machine();
  return `${cores} processors (${processor}), ${memoryGb} GB, ${system}`;
}

/** Says on standard error what a bench is at, with the seconds since it began. */
export function teller(): (line: string) => void {
  const startedAt = performance.now();
  return (line) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4);
    process.stderr.write(`${seconds} s  ${line}\n`);
  };
}

/** Reads an option that is a list, such as 1,10,100. @throws for anything but multiples of `step` above 0 */
export const wholeNumbers = (name: string, list: string, step = 1) =>
  list.split(',').map((text) => wholeNumber(name, text, step));

/** @throws for anything but a multiple of `step` above 0 */
export function wholeNumber(name: string, text: string, step = 1): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value === 0 || value % step !== 0) {
    const kind = step === 1 ? 'whole numbers' : `multiples of ${step}`;
    throw new Error(`--${name} takes ${kind} above 0, not "${text}".`);
  }
  return value;
}

export function writeReport(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Writes a page of the documentation in the form that the checks ask for. */
export async function writePage(file: string, markdown: string): Promise<void> {
  writeReport(file, await formatted(file, markdown));
}
