import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { projectPath } from '#scripts/lib/project';

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

/** What every try of a browser test ended with, without the colours of a terminal. */
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

const NO_TESTS: TestReport = { counts: { passed: 0, failed: 0, skipped: 0 }, failures: [] };

/** What the JSON report of vitest or Playwright says; no file, or one that is neither, counts as no tests at all. */
export function readTestReport(file: string): TestReport {
  return existsSync(file) ? (parseReport(readFileSync(file, 'utf8')) ?? NO_TESTS) : NO_TESTS;
}

/** The one line that sums a run up, for people and machines: `12 passed, 0 failed`, with skipped tests if there are any. */
export function summaryLine(counts: readonly TestCounts[]): string {
  const sum = (name: keyof TestCounts) => counts.reduce((total, count) => total + count[name], 0);
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
