import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseBenchReport } from '#lib/bench/bench-report-text';

it('reads the report that comes with this version', () => {
  expect(parseBenchReport(readFileSync('docs/benchmarks.json', 'utf8'))).toHaveProperty('report.results');
});

it('says what is wrong with a report that it cannot read', () => {
  expect(parseBenchReport('{"date": 1}')).toEqual({ problem: expect.stringContaining('Invalid input') });
  expect(parseBenchReport('{')).toEqual({ problem: expect.stringContaining('JSON') });
});
