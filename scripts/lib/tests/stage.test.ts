import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { runStage } from '#scripts/lib/tests/stage';

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
    expect(await runStage(stageThatReports(5, 0, 1))).toMatchObject({
      ok: false,
      counts: { passed: 5, failed: 1 },
      failures: ['unit: no test failed; its output above says why'],
    });
  });

  it('counts a check that fails, or cannot run, as one failure', async () => {
    const lint = { name: 'lint', run: () => Promise.resolve({ code: 1, output: 'bad import' }) };
    expect(await runStage(lint)).toMatchObject({ ok: false, counts: { passed: 0, failed: 1 } });
    const chromium = { name: 'e2e', run: () => Promise.reject(new Error('no Chromium')) };
    expect(await runStage(chromium)).toMatchObject({ ok: false, counts: { failed: 1 } });
  });
});
