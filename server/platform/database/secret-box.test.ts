import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSealed } from '#server/core/secrets';
import { createSecretBox } from '#server/platform/database/secret-box';

const SECRET = 'a secret of more than thirty-two characters';
let folder: string;
let databaseUrl: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'throughline-'));
  databaseUrl = `file:${join(folder, 'a.db')}`;
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a secret box', () => {
  it('seals a value for one place, differently each time', () => {
    const box = createSecretBox({ secret: SECRET, databaseUrl });
    const [one, other] = [box.seal('sk-1 ✓', 'a/1'), box.seal('sk-1 ✓', 'a/1')];
    expect(one).not.toBe(other);
    expect(one).not.toContain('sk-1');
    expect([isSealed(one), box.open(one, 'a/1'), box.seal(one, 'a/1')]).toEqual([true, 'sk-1 ✓', one]);
    expect(box.open(one, 'a/2')).toBe(one);
  });

  it('opens nothing that was changed, nor with another secret', () => {
    const box = createSecretBox({ secret: SECRET, databaseUrl });
    const sealed = box.seal('value', 'place');
    for (let at = 'enc:1:'.length; at < sealed.length; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(['value', changed]).toContain(box.open(changed, 'place'));
      if (at < sealed.length - 1) expect(box.open(changed, 'place')).toBe(changed);
    }
    for (const broken of ['enc:1:', 'enc:1:x', sealed.slice(0, 16), sealed.slice(0, -4), `${sealed}:x`.slice(0, 20)])
      expect(box.open(broken, 'place')).toBe(broken);
    expect(createSecretBox({ secret: `${SECRET}!`, databaseUrl }).open(sealed, 'place')).toBe(sealed);
  });

  it('returns plain values of earlier versions unchanged', () => {
    const box = createSecretBox({ secret: SECRET, databaseUrl });
    expect([box.open('plain', 'place'), box.isCurrent('plain')]).toEqual(['plain', false]);
  });

  it('creates a key next to an embedded database, for its owner only, once', () => {
    const box = createSecretBox({ secret: undefined, databaseUrl });
    const file = join(folder, 'a.db.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const key = readFileSync(file, 'utf8');
    const sealed = box.seal('value', 'place');
    const later = createSecretBox({ secret: undefined, databaseUrl });
    expect([later.open(sealed, 'place'), later.isCurrent(sealed)]).toEqual(['value', true]);
    later.seal('other', 'place');
    expect(readFileSync(file, 'utf8')).toBe(key);
    // Of two processes that start concurrently without a key, the later one uses the key of the first.
    const [one, two] = [1, 2].map(() => createSecretBox({ secret: undefined, databaseUrl: `file:${folder}/b.db` }));
    expect(two!.open(one!.seal('value', 'place'), 'place')).toBe('value');
    expect(two!.seal('x', 'place').slice(0, 14)).toBe(one!.seal('x', 'place').slice(0, 14));
  });

  it('seals again with AUTH_SECRET what the generated key had sealed', () => {
    const sealed = createSecretBox({ secret: undefined, databaseUrl }).seal('value', 'place');
    const box = createSecretBox({ secret: SECRET, databaseUrl });
    expect([box.open(sealed, 'place'), box.isCurrent(sealed)]).toEqual(['value', false]);
    expect(box.isCurrent(box.seal('value', 'place'))).toBe(true);
  });

  it('opens what a former secret has sealed, and seals it again', () => {
    const sealed = createSecretBox({ secret: SECRET, databaseUrl }).seal('value', 'place');
    const box = createSecretBox({ secret: `${SECRET} the next`, former: ['another', SECRET], databaseUrl });
    expect([box.open(sealed, 'place'), box.isCurrent(sealed)]).toEqual(['value', false]);
    expect(box.isCurrent(box.seal('value', 'place'))).toBe(true);
    // Named twice, it is the present one.
    expect(createSecretBox({ secret: SECRET, former: [SECRET], databaseUrl }).isCurrent(sealed)).toBe(true);
  });

  it('names the requirements of a database server', () => {
    const box = createSecretBox({ secret: undefined, databaseUrl: 'https://db.test' });
    expect(() => box.seal('value', 'place')).toThrow(/Set AUTH_SECRET/);
    writeFileSync(join(folder, 'untouched'), '');
    expect(box.open('plain', 'place')).toBe('plain');
  });
});
