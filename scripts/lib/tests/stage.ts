import { NO_REPORT, NO_TESTS, readTestReport, summaryLine, type TestCounts } from '#scripts/lib/tests/test-report';
import { rmSync } from 'node:fs';
import { build } from '#scripts/lib/build';
import { run, type RunResult } from '#scripts/lib/run';
import { ensureChromium } from '#scripts/lib/tests/chromium';
import { projectPath } from '#scripts/lib/project';
import { isBuilt } from '#scripts/lib/source-hash';

/** One part of `npm test`. */
export interface Stage {
  readonly name: string;
  /** Runs the stage; exit code 0 is success. */
  run(): Promise<RunResult>;
  /** Path of the JSON report of the tests. A stage that has a report and ran no test has failed. */
  readonly report?: string;
}

/** Result of a stage. */
export interface StageResult {
  readonly name: string;
  readonly ok: boolean;
  readonly counts: TestCounts;
  /** The failed tests, repeated at the end of the run. */
  readonly failures: readonly string[];
  /** Tests that failed first and passed when they were repeated. */
  readonly flaky: readonly string[];
  readonly seconds: number;
}

/**
 * Runs a stage. A stage that fails without a failing test (a lint error, a crash, no test found) counts as one failure,
 * so that the summary never says "0 failed" about a failed run.
 */
export async function runStage(stage: Stage): Promise<StageResult> {
  if (stage.report) rmSync(stage.report, { force: true });
  const start = performance.now();
  const { code, output } = await stage.run().catch((error: unknown) => ({ code: 1, output: String(error) }));
  const seconds = (performance.now() - start) / 1000;
  const { counts: reported, failures: failed, flaky } = stage.report ? readTestReport(stage.report) : NO_REPORT;
  const ran = !stage.report || reported.passed + reported.failed > 0;
  const ok = code === 0 && reported.failed === 0 && ran;
  const hasOtherFault = !ok && reported.failed === 0;
  const counts = hasOtherFault ? { ...reported, failed: 1 } : reported;
  const failures = hasOtherFault ? [...failed, `${stage.name}: no test failed; its output above says why`] : failed;
  if ((!ok || stage.report) && output.trim()) console.log(output.trim());
  if (!ran) console.log(`${stage.name}: no test ran`);
  console.log(`${ok ? '✓' : '✗'} ${stage.name} (${seconds.toFixed(1)} s)`);
  return { name: stage.name, ok, counts, failures, flaky, seconds };
}

/** Result of a stage that was not run because an earlier stage, which it needs, failed. */
export function skippedStage(name: string): StageResult {
  console.log(`✗ ${name} (not run)`);
  return { name, ok: false, counts: { ...NO_TESTS, failed: 1 }, failures: [], flaky: [], seconds: 0 };
}

/** A stage that runs an npm script and shows its output only if it fails. */
export function quietScript(name: string): Stage {
  return { name, run: () => run('npm', ['run', '--silent', name], { capture: true }) };
}

/** How vitest runs. */
interface VitestOptions {
  /** By default the project that has the name of the stage. */
  readonly projects?: readonly string[];
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Show the output when the stage has ended, for stages that run in parallel. */
  readonly capture?: boolean;
  /** Files that run in parallel. By default as vitest.config.ts says. */
  readonly workers?: number;
}

/** A stage that runs vitest projects. */
export function vitestStage(
  name: string,
  { projects = [name], env = {}, capture = false, workers }: VitestOptions = {},
): Stage {
  const report = projectPath(`.cache/${name}.json`);
  const chosen = projects.map((project) => `--project=${project}`);
  const parallel = workers === undefined ? [] : [`--maxWorkers=${workers}`];
  const args = ['run', ...chosen, ...parallel, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { name, report, run: () => run('vitest', args, { env, capture }) };
}

const browserReport = projectPath('.cache/e2e.json');
/** The browser tests. @param workers files that run in parallel; by default as playwright.config.ts says */
export const browserStage = (workers?: number): Stage => ({
  name: 'e2e',
  report: browserReport,
  run: async () => {
    const env = { PLAYWRIGHT_CHROMIUM: await ensureChromium(), PLAYWRIGHT_JSON_OUTPUT_FILE: browserReport };
    const parallel = workers === undefined ? [] : [`--workers=${workers}`];
    return run('playwright', ['test', '--project=e2e', ...parallel, '--reporter=list,json'], { env });
  },
});

/** Builds the app unless it is built already; shows its output only if it fails. */
export const buildStage: Stage = {
  name: 'build',
  run: async () => ((await isBuilt()) ? { code: 0, output: '' } : await build({ capture: true })),
};

/**
 * Prints the end of a run: a line per stage, the failed tests, the counts. Sets a failing exit code if a stage failed.
 */
export function reportResults(results: readonly StageResult[]): void {
  console.log();
  for (const { name, ok, seconds } of results)
    console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name}  ${seconds.toFixed(1)} s`);
  for (const test of results.flatMap(({ flaky }) => flaky)) console.log(`flaky   ${test}`);
  for (const failure of results.flatMap(({ failures }) => failures)) console.log(`FAILED  ${failure}`);
  console.log(summaryLine(results.map(({ counts }) => counts)));
  process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
}
