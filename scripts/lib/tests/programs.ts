import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from '#scripts/lib/run';

/** True if the file exists and may be run. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The path of the first of these programs that is on PATH or in the folders for server programs, which are not on every
 * user's PATH.
 */
export function findProgram(names: readonly string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), '/usr/sbin'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * Shell commands that prevent Debian's packages from starting servers during installation, and leaves no trace: an existing rule belongs
 * to another program and is kept.
 */
const WITHOUT_SERVICES = `
rule=/usr/sbin/policy-rc.d
if [ ! -e "$rule" ]; then
  trap 'rm -f "$rule"' EXIT
  trap 'exit 1' INT TERM
  printf '#!/bin/sh\\nexit 101\\n' >"$rule" && chmod +x "$rule"
fi`;

/**
 * Installs packages if Debian's package manager is available and permitted. Prints what it does and, if it failed, the
 * output.
 */
export async function installWithApt(names: readonly string[]): Promise<void> {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return;
  console.log(`> Installing ${names.join(', ')} with apt-get`);
  // Another process may be installing packages, as machines do automatically when they start; seconds.
  const apt = 'env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3';
  const script = `${WITHOUT_SERVICES}\n${apt} update; ${apt} install -y --no-install-recommends ${names.join(' ')}`;
  const [command, args] = process.getuid?.() === 0 ? ['sh', ['-c', script]] : ['sudo', ['-n', 'sh', '-c', script]];
  const { code, output } = await run(command, args, { capture: true });
  if (code !== 0) console.log(output.trim());
}
