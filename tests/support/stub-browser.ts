import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A browser for programs that open one: it notes the addresses, and the test visits them. */
export interface StubBrowser {
  /** For the `PATH` of the program, in front. */
  readonly folder: string;
  /** The addresses that a program has opened. */
  readonly opened: () => string[];
}

/** Creates the commands with which programs open a browser on Linux. */
export function createStubBrowser(folder: string): StubBrowser {
  const log = join(folder, 'opened.txt');
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['xdg-open', 'sensible-browser', 'x-www-browser', 'firefox', 'wslview']) {
    const file = join(bin, name);
    writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "$@" >> '${log}'\n`);
    chmodSync(file, 0o755);
  }
  return {
    folder: bin,
    opened: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []),
  };
}
