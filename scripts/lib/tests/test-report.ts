import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { projectPath } from '#scripts/lib/project';

/** Number of tests by outcome; `skipped` did not run. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts, and for each failed or flaky test: file, name and the first lines of the error. */
export interface TestReport {
  readonly counts: TestCounts;
  readonly failures: readonly string[];
  readonly flaky: readonly string[];
}

/** Lines of a failure that are repeated at the end of a run: enough to find it further up. */
const FAILURE_LINES = 10;

/** Report of vitest. */
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
      // A file that could not be loaded has no failing test.
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
      flaky: [],
    };
  });

/** One attempt of a browser test. */
const result = z.object({ errors: z.array(z.object({ message: z.string().default('') })).default([]) });
/** A browser test. */
const spec = z.object({
  title: z.string(),
  ok: z.boolean(),
  file: z.string().default(''),
  tests: z.array(z.object({ status: z.string().default(''), results: z.array(result).default([]) })).default([]),
});
type Spec = z.infer<typeof spec>;

/** A file or group of browser tests. */
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

/** Report of Playwright. */
const playwrightReport = z
  .object({
    stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
    suites: z.array(suite).default([]),
  })
  .transform(({ stats, suites }): TestReport => ({
    counts: { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped },
    failures: describeSpecs(suites, ({ ok }) => !ok),
    flaky: describeSpecs(suites, ({ ok, tests }) => ok && tests.some(({ status }) => status === 'flaky')),
  }));

/** Describes the browser tests that `isMeant` selects, in these suites and the ones inside them. */
function describeSpecs(suites: readonly Suite[], isMeant: (one: Spec) => boolean): string[] {
  return suites.flatMap(({ title, specs = [], suites: inner = [] }) => [
    ...specs.filter(isMeant).map((one) => failureText(one.file || title, one.title, messagesOf(one))),
    ...describeSpecs(inner, isMeant),
  ]);
}

/** Collects the error messages of all tries of a browser test, without terminal colours. */
function messagesOf({ tests }: Spec): string {
  const errors = tests.flatMap(({ results }) => results).flatMap((one) => one.errors);
  return errors.map(({ message }) => stripVTControlCharacters(message)).join('\n');
}

/** Describes a failed test: file, name and the first lines of its error. */
function failureText(file: string, test: string, message: string): string {
  const where = test === '' ? relative(file) : `${relative(file)} > ${test}`;
  const why = message.split('\n', FAILURE_LINES).map((line) => `    ${line}`);
  return [where, ...(message === '' ? [] : why)].join('\n');
}

/** The path of a file in the project, relative to its root. */
function relative(file: string): string {
  return file.startsWith(projectPath('.')) ? file.slice(projectPath('.').length).replace(/^\//, '') : file;
}

const report = z.union([vitestReport, playwrightReport]);

/** Parses a report; undefined if it is not complete. */
function parseReport(text: string): TestReport | undefined {
  try {
    return report.parse(JSON.parse(text));
  } catch {
    // A killed runner leaves an incomplete file.
    return undefined;
  }
}

/** Reads the JSON report of vitest or Playwright. A missing or unreadable file counts as no tests at all. */
export function readTestReport(file: string): TestReport {
  return existsSync(file) ? (parseReport(readFileSync(file, 'utf8')) ?? NO_REPORT) : NO_REPORT;
}

/** The line that sums up a run, for people and machines: `12 passed, 0 failed`, with skipped tests if there are any. */
export function summaryLine(counts: readonly TestCounts[]): string {
  const sum = (name: keyof TestCounts) => counts.reduce((total, count) => total + count[name], 0);
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

export const NO_TESTS: TestCounts = { passed: 0, failed: 0, skipped: 0 };
export const NO_REPORT: TestReport = { counts: NO_TESTS, failures: [], flaky: [] };
