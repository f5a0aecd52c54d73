import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '..', '..');
const fixtures = join(root, 'tests', 'fixtures', 'bad-imports');

const lintReport = z.object({
  diagnostics: z.array(
    z.object({
      message: z.string(),
      help: z.string().optional(),
      filename: z.string(),
      labels: z.array(z.object({ span: z.object({ line: z.number() }) })),
    }),
  ),
});

/** The line a finding is about, and what it says. */
interface Finding {
  readonly place: string;
  readonly text: string;
}

/** Lints the fixtures as if they were the project: same rules, same paths, another folder. */
function lintFixtures(folder: string): Promise<Finding[]> {
  cpSync(fixtures, folder, { recursive: true });
  for (const file of ['.oxlintrc.json', 'package.json']) copyFileSync(join(root, file), join(folder, file));
  const binaries = join(root, 'node_modules', '.bin');
  const env = { ...process.env, OXLINT_TSGOLINT_PATH: join(binaries, 'tsgolint') };
  return new Promise((resolve, reject) => {
    execFile(
      join(binaries, 'oxlint'),
      ['--type-aware', '-f', 'json'],
      { cwd: folder, env },
      (error, stdout, stderr) => {
        if (!stdout.startsWith('{')) return reject(new Error(`oxlint gave no report: ${stderr}`, { cause: error }));
        const { diagnostics } = lintReport.parse(JSON.parse(stdout));
        const findings = diagnostics.map(({ filename, labels, message, help }) => ({
          place: `${filename}:${labels[0]?.span.line ?? 0}`,
          text: `${message} ${help ?? ''}`,
        }));
        resolve(findings);
      },
    );
  });
}

/** The lines that the fixtures mark as `// bad: what the finding must say`. */
function markedLines(): Finding[] {
  return globSync('**/*.{ts,tsx}', { cwd: fixtures }).flatMap((file) =>
    readFileSync(join(fixtures, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const text = /\/\/ bad: (.+)$/.exec(line)?.[1];
        return text === undefined ? [] : [{ place: `${file}:${index + 1}`, text }];
      }),
  );
}

describe('the import rules', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-lint-'));
  const marked = markedLines();
  let findings: Finding[] = [];

  beforeAll(async () => {
    findings = await lintFixtures(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(marked)('refuses $place', ({ place, text }) => {
    const said = findings.filter((finding) => finding.place === place).map((finding) => finding.text);
    expect(said.join('\n')).toContain(text);
  });

  it('refuses nothing else: every line without a mark is allowed', () => {
    const bad = new Set(marked.map((line) => line.place));
    expect(marked.length).toBeGreaterThan(30);
    expect(findings.filter((finding) => !bad.has(finding.place))).toEqual([]);
  });
});
