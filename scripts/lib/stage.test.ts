import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readTestReport, runStage, summaryLine } from '#scripts/lib/stage';

const folder = mkdtempSync(join(tmpdir(), 'throughline-stage-'));
const report = join(folder, 'report.json');

function stageThatReports(passed: number, failed: number, code: number) {
  const text = JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: 0, numTodoTests: 0 });
  return {
    name: 'unit',
    report,
    run: () => {
      writeFileSync(report, text);
      return Promise.resolve({ code, output: '' });
    },
  };
}

beforeEach(() => {
  vi.spyOn(console, 'log').mockReturnValue();
});

describe('runStage', () => {
  it('passes with tests that passed', async () => {
    const result = await runStage(stageThatReports(5, 0, 0));
    expect(result).toMatchObject({ ok: true, counts: { passed: 5, failed: 0 } });
  });

  it('fails when no test ran, even if the command succeeded', async () => {
    expect(await runStage(stageThatReports(0, 0, 0))).toMatchObject({ ok: false, counts: { failed: 1 } });
  });

  it('does not take the report of an earlier run for its own', async () => {
    await runStage(stageThatReports(5, 0, 0));
    const silent = { name: 'unit', report, run: () => Promise.resolve({ code: 0, output: '' }) };
    expect(await runStage(silent)).toMatchObject({ ok: false, counts: { passed: 0, failed: 1 } });
  });

  it('counts failing tests, and a crash beside passing tests as one failure', async () => {
    expect(await runStage(stageThatReports(5, 2, 1))).toMatchObject({ ok: false, counts: { passed: 5, failed: 2 } });
    expect(await runStage(stageThatReports(5, 0, 1))).toMatchObject({ ok: false, counts: { passed: 5, failed: 1 } });
  });

  it('counts a check that fails, or cannot run, as one failure', async () => {
    const lint = { name: 'lint', run: () => Promise.resolve({ code: 1, output: 'bad import' }) };
    expect(await runStage(lint)).toMatchObject({ ok: false, counts: { passed: 0, failed: 1 } });
    const chromium = { name: 'e2e', run: () => Promise.reject(new Error('no Chromium')) };
    expect(await runStage(chromium)).toMatchObject({ ok: false, counts: { failed: 1 } });
  });
});

function reportFile(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'throughline-report-')), 'report.json');
  writeFileSync(file, text);
  return file;
}

describe('readTestReport', () => {
  it('reads a vitest report', () => {
    const vitest = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 };
    expect(readTestReport(reportFile(JSON.stringify(vitest))).counts).toEqual({ passed: 3, failed: 1, skipped: 3 });
  });

  it('reads a Playwright report and counts a flaky test as failed', () => {
    const playwright = { stats: { expected: 4, unexpected: 1, flaky: 1, skipped: 2 } };
    expect(readTestReport(reportFile(JSON.stringify(playwright))).counts).toEqual({ passed: 4, failed: 2, skipped: 2 });
  });

  it('names the tests that vitest saw fail, and files that did not load', () => {
    const failed = { fullName: 'a shelf holds books', status: 'failed', failureMessages: ['expected 1\nto be 2'] };
    const passed = { fullName: 'a shelf is empty', status: 'passed', failureMessages: [] };
    const testResults = [
      { name: '/x/shelf.test.ts', status: 'failed', message: '', assertionResults: [failed, passed] },
      { name: '/x/broken.test.ts', status: 'failed', message: 'SyntaxError', assertionResults: [] },
    ];
    const counts = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0 };
    expect(readTestReport(reportFile(JSON.stringify({ ...counts, testResults }))).failures).toEqual([
      '/x/shelf.test.ts > a shelf holds books\n    expected 1\n    to be 2',
      '/x/broken.test.ts\n    SyntaxError',
    ]);
  });

  it('names the tests that Playwright saw fail, and why', () => {
    const stats = { expected: 1, unexpected: 1, flaky: 0, skipped: 0 };
    const results = [{ errors: [{ message: '\u001B[31mTimed out\u001B[39m\nwaiting for the tab' }] }];
    const failed = { title: 'two tabs', ok: false, file: 'screen.spec.ts', tests: [{ results }] };
    const inner = { title: 'on a phone', specs: [failed] };
    const suites = [{ title: 'screen.spec.ts', specs: [{ title: 'opens', ok: true }], suites: [inner] }];
    const { failures } = readTestReport(reportFile(JSON.stringify({ stats, suites })));
    expect(failures).toEqual(['screen.spec.ts > two tabs\n    Timed out\n    waiting for the tab']);
  });

  it.each(['', '{"numPassed', '{}', '[]'])('counts no tests in %j', (text) => {
    expect(readTestReport(reportFile(text)).counts).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });

  it('counts no tests in a report that was never written', () => {
    expect(readTestReport('/nowhere/report.json').counts).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });
});

describe('summaryLine', () => {
  it('sums all stages up and names skipped tests only if there are any', () => {
    expect(summaryLine([{ passed: 2, failed: 0, skipped: 0 }])).toBe('2 passed, 0 failed');
    const counts = { passed: 1, failed: 2, skipped: 3 };
    expect(summaryLine([counts, counts])).toBe('2 passed, 4 failed, 6 skipped');
  });
});
