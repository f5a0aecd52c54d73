import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allowServerModules, exitWithMessage } from '#scripts/lib/process';

/* Compares how much of a conversation survives in a window, and its cost, with other projects (npm run bench). */

allowServerModules();

// Files of a run, also those of other projects' packages, are deleted with it in every case.
const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
process.env['TMPDIR'] = folder;
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

try {
  const { main } = await import('#tests/bench/context/main');
  await main(process.argv.slice(2));
} catch (error) {
  exitWithMessage(error);
}
