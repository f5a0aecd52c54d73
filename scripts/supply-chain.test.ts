import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { projectPath } from '#scripts/lib/project';
import { readSignatureReport, createSbom, parseSbom, requireSigned } from '#scripts/supply-chain';

/** As npm 11 prints them. */
const told = (value: object) => JSON.stringify(value, null, 2);
const entry = {
  name: 'next',
  version: '16.4.6',
  registry: 'https://registry.npmjs.org/',
  location: 'node_modules/next',
};
const failed = (code: string | undefined, summary: string) => told({ error: { code, summary, detail: '' } });

describe("npm's report on package signatures", () => {
  it('is good if all were checked and none is wrong', () => {
    expect(readSignatureReport(told({ invalid: [], missing: [] }))).toMatchObject({ verdict: 'good' });
  });

  it.each([
    ['one is wrong', told({ invalid: [{ ...entry, code: 'EINTEGRITYSIGNATURE' }], missing: [] }), /next@16\.4\.6/],
    ['a proof of origin is wrong', told({ invalid: [{ ...entry, code: 'EATTESTATIONVERIFY' }], missing: [] }), /next/],
    ['one has none, and others have', told({ invalid: [], missing: [entry] }), /next@16\.4\.6/],
    ['one was made with a key that nobody knows', failed('EMISSINGSIGNATUREKEY', 'no key for next'), /no key for next/],
    ['one was made with a key that has expired', failed('EEXPIREDSIGNATUREKEY', 'key expired'), /key expired/],
    ['npm fails otherwise', failed('EUSAGE', 'wrong'), /wrong/],
    ['npm says nothing that can be read', 'npm: not found', /npm: not found/],
    ['npm says something else', told({}), /\{\}/],
  ])('is bad where %s, and stops also a run without --strict', (_, output, words) => {
    const report = readSignatureReport(output);
    expect(report.verdict).toBe('bad');
    expect(report.message).toMatch(words);
    expect(() => requireSigned(report, false)).toThrow();
  });

  it.each([
    [
      'its keys cannot be reached',
      failed('ENOTFOUND', 'request to https://tuf-repo-cdn.sigstore.dev/15.root.json failed'),
    ],
    ['it does not answer', failed('ETIMEDOUT', 'timeout')],
    ['it is out of order', failed('E503', '503 Service Unavailable')],
    [
      'it signs nothing',
      failed(undefined, 'found no dependencies to audit that were installed from a supported registry'),
    ],
  ])('is unknown, with a loud warning, if %s', (_, output) => {
    const { verdict, message } = readSignatureReport(output);
    expect(verdict).toBe('unknown');
    expect(message).toMatch(/NOT CHECKED/);
  });
});

describe('a run without --strict', () => {
  it('says that keys cannot be reached, which fails a strict one only', () => {
    const unreachable = readSignatureReport(failed('ENOTFOUND', 'no keys'));
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    requireSigned(unreachable, false);
    expect(warn.mock.calls.join()).toMatch(/NOT CHECKED: no keys/);
    warn.mockRestore();
    expect(() => requireSigned(unreachable, true)).toThrow(/NOT CHECKED/);
  });

  it.each([
    ['nothing', ''],
    ['a fault', failed('ESBOMPROBLEMS', 'missing: next@16')],
    ['a list without packages', told({ bomFormat: 'CycloneDX', components: [] })],
  ])('fails where npm lists the packages as %s', (_, output) => {
    expect(() => parseSbom(output)).toThrow(/npm gave no list of the packages/);
  });
});

it('the bill of createSbom lists every package of all platforms with version, hash and scope', async () => {
  const { bomFormat, components } = await createSbom();
  expect(bomFormat).toBe('CycloneDX');
  const listed = new Map(components.map((component) => [`${component.name}@${component.version}`, component]));
  const manifest = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const named = (...groups: readonly string[]) =>
    groups.flatMap((group) => Object.entries(manifest[group]!).map(([name, version]) => `${name}@${version}`));
  const isForDevelopment = (name: string) =>
    listed.get(name)?.properties?.some((one) => one.name === 'cdx:npm:package:development') ?? null;
  const running = named('dependencies', 'optionalDependencies');
  expect(running.filter((name) => isForDevelopment(name) !== false)).toEqual([]);
  expect(isForDevelopment(named('devDependencies').find((name) => name.startsWith('oxlint@'))!)).toBe(true);
  expect(listed.get(running.find((name) => name.startsWith('next@'))!)?.hashes).toEqual([
    { alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) as unknown },
  ]);
});
