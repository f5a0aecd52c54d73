import { existsSync, readFileSync, rmSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { build, run, type RunResult } from '#scripts/lib/build';
import { projectPath } from '#scripts/lib/project';
import { isBuilt } from '#scripts/lib/source-hash';

/** One part of `npm test`. */
export interface Stage {
  readonly name: string;
  /** Does the work; exit code 0 is success. */
  run(): Promise<RunResult>;
  /** JSON report with the tests that ran. A stage that names one and ran no test has failed. */
  readonly report?: string;
}

/** Result of a stage. */
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

/** Builds the app, unless it is built already; its output shows only if it fails. */
export const buildStage: Stage = {
  name: 'build',
  run: async () => ((await isBuilt()) ? { code: 0, output: '' } : await build({ capture: true })),
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

/** Tests that ran, by how they ended; `skipped` did not run. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts, and the tests that failed: where, which, and the first lines of why. */
export interface TestReport {
  readonly counts: TestCounts;
  readonly failures: readonly string[];
}

/** Lines of a failure that are repeated at the end of a run: enough to know what to look for further up. */
const FAILURE_LINES = 10;

const vitestReport = z
  .object({
    numPassedTests: z.number(),
    numFailedTests: z.number(),
    numPendingTests: z.number(),
    numTodoTests: z.number(),
    testResults: z
      .array(
        z.object({
          name: z.string(),
          status: z.string(),
          message: z.string().default(''),
          assertionResults: z.array(
            z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
          ),
        }),
      )
      .default([]),
  })
  .transform((report): TestReport => {
    const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === 'failed');
      // A file that could not be loaded has no failing test of its own.
      if (failed.length === 0 && status === 'failed') return [failureText(name, '', message)];
      return failed.map((test) => failureText(name, test.fullName, test.failureMessages?.join('\n') ?? ''));
    });
    return {
      counts: {
        passed: report.numPassedTests,
        failed: report.numFailedTests,
        skipped: report.numPendingTests + report.numTodoTests,
      },
      failures,
    };
  });

const result = z.object({ errors: z.array(z.object({ message: z.string().default('') })).default([]) });
const spec = z.object({
  title: z.string(),
  ok: z.boolean(),
  file: z.string().default(''),
  tests: z.array(z.object({ results: z.array(result).default([]) })).default([]),
});
type Spec = z.infer<typeof spec>;

interface Suite {
  readonly title: string;
  readonly specs?: readonly Spec[] | undefined;
  readonly suites?: readonly Suite[] | undefined;
}

const suite: z.ZodType<Suite> = z.object({
  title: z.string(),
  specs: z.array(spec).optional(),
  get suites() {
    return z.array(suite).optional();
  },
});

const playwrightReport = z
  .object({
    stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
    suites: z.array(suite).default([]),
  })
  .transform(({ stats, suites }): TestReport => ({
    counts: {
      passed: stats.expected,
      // A test that passed only at its second try has failed once.
      failed: stats.unexpected + stats.flaky,
      skipped: stats.skipped,
    },
    failures: suites.flatMap(failedSpecs),
  }));

function failedSpecs({ title, specs = [], suites = [] }: Suite): string[] {
  const failed = specs.filter(({ ok }) => !ok);
  const own = failed.map((one) => failureText(one.file || title, one.title, messagesOf(one)));
  return [...own, ...suites.flatMap(failedSpecs)];
}

/** Collects the outcome of every try of a browser test, without the colours of a terminal. */
function messagesOf({ tests }: Spec): string {
  const errors = tests.flatMap(({ results }) => results).flatMap((one) => one.errors);
  return errors.map(({ message }) => stripVTControlCharacters(message)).join('\n');
}

function failureText(file: string, test: string, message: string): string {
  const where = test === '' ? relative(file) : `${relative(file)} > ${test}`;
  const why = message.split('\n', FAILURE_LINES).map((line) => `    ${line}`);
  return [where, ...(message === '' ? [] : why)].join('\n');
}

function relative(file: string): string {
  return file.startsWith(projectPath('.')) ? file.slice(projectPath('.').length).replace(/^\//, '') : file;
}

const report = z.union([vitestReport, playwrightReport]);

function parseReport(text: string): TestReport | undefined {
  try {
    return report.parse(JSON.parse(text));
  } catch {
    // A runner that was killed leaves half a file.
    return undefined;
  }
}

const NO_COUNTS: TestReport = { counts: { passed: 0, failed: 0, skipped: 0 }, failures: [] };

/** Reads the JSON report of vitest or Playwright. A missing or unreadable file counts as no tests at all. */
export function readTestReport(file: string): TestReport {
  return existsSync(file) ? (parseReport(readFileSync(file, 'utf8')) ?? NO_COUNTS) : NO_COUNTS;
}

/** The one line that sums a run up, for people and machines: `12 passed, 0 failed`, with skipped tests if there are any. */
export function summaryLine(counts: readonly TestCounts[]): string {
  const sum = (name: keyof TestCounts) => counts.reduce((total, count) => total + count[name], 0);
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
