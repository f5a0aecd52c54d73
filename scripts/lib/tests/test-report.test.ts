import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTestReport, summaryLine } from '#scripts/lib/tests/test-report';

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

  it('counts a browser test that passed when repeated as passed, and names it as flaky', () => {
    const tests = [{ status: 'flaky', results: [{ errors: [{ message: 'Timed out' }] }, { errors: [] }] }];
    const specs = [{ title: 'two tabs', ok: true, file: 'screen.spec.ts', tests }];
    const stats = { expected: 4, unexpected: 1, flaky: 1, skipped: 2 };
    const read = readTestReport(reportFile(JSON.stringify({ stats, suites: [{ title: 'screen.spec.ts', specs }] })));
    expect(read.counts).toEqual({ passed: 5, failed: 1, skipped: 2 });
    expect(read).toMatchObject({ failures: [], flaky: ['screen.spec.ts > two tabs\n    Timed out'] });
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
