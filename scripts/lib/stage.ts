import { rmSync } from 'node:fs';
import { build, isBuilt } from '#scripts/lib/build';
import { projectPath } from '#scripts/lib/project';
import { run, type RunResult } from '#scripts/lib/run';
import { readTestReport, summaryLine, type TestCounts } from '#scripts/lib/test-report';

/** One part of `npm test`. */
export interface Stage {
  readonly name: string;
  /** Does the work; exit code 0 is success. */
  run(): Promise<RunResult>;
  /** JSON report with the tests that ran. A stage that names one and ran no test has failed. */
  readonly report?: string;
}

/** How a stage ended. */
export interface StageResult {
  readonly name: string;
  readonly ok: boolean;
  readonly counts: TestCounts;
  /** The tests that failed, for the end of the run. */
  readonly failures: readonly string[];
  readonly seconds: number;
}

const NO_TESTS: TestCounts = { passed: 0, failed: 0, skipped: 0 };

/**
 * Runs a stage to its end. A stage that fails without a failing test (a lint error, a crash, no test found) counts as
 * one failure, so that the summary never says "0 failed" about a run that failed.
 */
export async function runStage(stage: Stage): Promise<StageResult> {
  if (stage.report) rmSync(stage.report, { force: true });
  const start = performance.now();
  const { code, output } = await stage.run().catch((error: unknown) => ({ code: 1, output: String(error) }));
  const seconds = (performance.now() - start) / 1000;
  const { counts: counted, failures } = stage.report
    ? readTestReport(stage.report)
    : { counts: NO_TESTS, failures: [] };
  const ran = !stage.report || counted.passed + counted.failed > 0;
  const ok = code === 0 && counted.failed === 0 && ran;
  const counts = ok || counted.failed > 0 ? counted : { ...counted, failed: 1 };
  if (!ok && output.trim()) console.log(output.trim());
  if (!ran) console.log(`${stage.name}: no test ran`);
  console.log(`${ok ? '✓' : '✗'} ${stage.name} (${seconds.toFixed(1)} s)`);
  return { name: stage.name, ok, counts, failures, seconds };
}

/** A stage that was not run because an earlier one, which it needs, failed. */
export function skippedStage(name: string): StageResult {
  console.log(`✗ ${name} (not run)`);
  return { name, ok: false, counts: { ...NO_TESTS, failed: 1 }, failures: [], seconds: 0 };
}

/** A stage that is an npm script, whose output shows only if it fails. */
export function quietScript(name: string): Stage {
  return { name, run: () => run('npm', ['run', '--silent', name], { capture: true }) };
}

/** A stage of one vitest project. */
export function vitestStage(project: string, env: Readonly<Record<string, string>> = {}): Stage {
  const report = projectPath(`.cache/${project}.json`);
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { name: project, report, run: () => run('vitest', args, { env }) };
}

/** Builds the app, unless it is built already. */
export const buildStage: Stage = {
  name: 'build',
  run: async () => ({ code: isBuilt() ? 0 : await build(), output: '' }),
};

/** The end of a run: a line per stage, the tests that failed, the counts; the process fails if a stage did. */
export function reportResults(results: readonly StageResult[]): void {
  console.log();
  for (const { name, ok, seconds } of results)
    console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name}  ${seconds.toFixed(1)} s`);
  for (const failure of results.flatMap(({ failures }) => failures)) console.log(`FAILED  ${failure}`);
  console.log(summaryLine(results.map(({ counts }) => counts)));
  process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
}
