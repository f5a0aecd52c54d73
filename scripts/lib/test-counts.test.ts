import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTestCounts, summaryLine } from '#scripts/lib/test-counts';

function reportFile(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'throughline-report-')), 'report.json');
  writeFileSync(file, text);
  return file;
}

describe('readTestCounts', () => {
  it('reads a vitest report', () => {
    const report = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 };
    expect(readTestCounts(reportFile(JSON.stringify(report)))).toEqual({ passed: 3, failed: 1, skipped: 3 });
  });

  it('reads a Playwright report and counts a flaky test as failed', () => {
    const report = { stats: { expected: 4, unexpected: 1, flaky: 1, skipped: 2 } };
    expect(readTestCounts(reportFile(JSON.stringify(report)))).toEqual({ passed: 4, failed: 2, skipped: 2 });
  });

  it.each(['', '{"numPassed', '{}', '[]'])('counts no tests in %j', (text) => {
    expect(readTestCounts(reportFile(text))).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });

  it('counts no tests in a report that was never written', () => {
    expect(readTestCounts('/nowhere/report.json')).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });
});

describe('summaryLine', () => {
  it('sums all stages up and names skipped tests only if there are any', () => {
    expect(summaryLine([{ passed: 2, failed: 0, skipped: 0 }])).toBe('2 passed, 0 failed');
    const counts = { passed: 1, failed: 2, skipped: 3 };
    expect(summaryLine([counts, counts])).toBe('2 passed, 4 failed, 6 skipped');
  });
});
