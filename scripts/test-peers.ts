import { globSync } from 'node:fs';
import { projectPath } from '#scripts/lib/project';
import { run } from '#scripts/lib/run';

const suites = globSync('tests/peers/**/*.test.ts', { cwd: projectPath('.') });

if (suites.length === 0) {
  console.log('test:peers: there is no suite against a real peer (Redis, WordPress) yet, so nothing ran.');
} else {
  console.log(`test:peers: ${suites.length} suites against real peers`);
  process.exitCode = (await run('vitest', ['run', '--project', 'peers'])).code;
}
