import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allowServerModules, exitWithMessage } from '#scripts/lib/process';

/*
 * How much of a conversation survives in a window, and what that costs, beside what other projects do (npm run bench).
 */

allowServerModules();

// Whatever is stored for a run, also by other projects' packages, goes with it however it ends.
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
