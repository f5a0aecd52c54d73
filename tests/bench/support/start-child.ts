import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts a script of this folder in a separate process; resolves when it has reported its address. */
export async function startChild(
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(join(import.meta.dirname, script), { env: { ...process.env, ...env } });
  const [told] = (await once(child, 'message')) as [{ readonly url: string }];
  return { child, url: told.url };
}
