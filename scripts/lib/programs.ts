import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from '#scripts/lib/run';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of the first of these programs that is on PATH. */
export function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** Installs a package where Debian's package manager is there and lets us; says so, and what it said if it failed. */
export async function installWithApt(name: string): Promise<void> {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return;
  const asRoot = process.getuid?.() === 0 ? '' : 'sudo -n ';
  const apt = `${asRoot}env DEBIAN_FRONTEND=noninteractive apt-get -qq`;
  console.log(`> Installing ${name} with apt-get`);
  const install = `${apt} update; ${apt} install -y --no-install-recommends ${name}`;
  const { code, output } = await run('sh', ['-c', install], { capture: true });
  if (code !== 0) console.log(output.trim());
}
