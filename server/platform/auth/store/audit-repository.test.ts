import { describe, expect } from 'vitest';
import type { AuditAction } from '#server/core/admin/audit-actions';
import { InvalidInputError } from '#server/core/errors';
import { createAuditRepository } from '#server/platform/auth/store/audit-repository';
import { itWithDatabase as it } from '#tests/support/test-database';

const entry = (action: AuditAction, userId: string | null = 'usr_1', target: string | null = null) => ({
  action,
  userId,
  keyId: null,
  actorName: 'Ada',
  actorMessage: null,
  target,
  targetMessage: null,
  details: null,
  ipAddress: '203.0.113.5',
  requestId: null,
});

describe('AuditRepository', () => {
  it('returns written entries, the newest first', async ({ db }) => {
    let time = 1_700_000_000_000;
    const audit = createAuditRepository(db, { now: () => time++ });
    await audit.append({ ...entry('key-created'), details: { scopes: ['chat'] }, target: 'Half \ud800 and \u0000' });
    await audit.append(entry('sign-in-failed', null, 'x'.repeat(5_000)));
    const { items, nextCursor } = await audit.list({});
    expect(nextCursor).toBeNull();
    expect(items.map(({ action, createdAt }) => [action, createdAt])).toEqual([
      ['sign-in-failed', 1_700_000_000_001],
      ['key-created', 1_700_000_000_000],
    ]);
    expect(items[0]).toMatchObject({ userId: null, target: `${'x'.repeat(299)}…` });
    expect(items[1]).toMatchObject({ details: { scopes: ['chat'] }, target: 'Half \ufffd and \ufffd' });
  });

  it('is read page by page, by action and by user, also where many have one time', async ({ db }) => {
    const audit = createAuditRepository(db, { now: () => 7 });
    for (let written = 0; written < 9; written++) {
      await audit.append(entry(written % 3 ? 'sign-in' : 'sign-out', written % 2 ? 'usr_1' : 'usr_2', String(written)));
    }
    const read = async (query: object) => {
      const targets: (string | null)[] = [];
      let cursor: string | undefined;
      do {
        const page = await audit.list({ ...query, limit: 2, cursor });
        targets.push(...page.items.map(({ target }) => target));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return targets.join('');
    };
    expect(await read({})).toBe('876543210');
    expect(await read({ action: 'sign-out' })).toBe('630');
    expect(await read({ userId: 'usr_1' })).toBe('7531');
    expect(await read({ userId: 'usr_1', action: 'sign-out' })).toBe('3');
    await expect(audit.list({ cursor: 'nonsense' })).rejects.toBeInstanceOf(InvalidInputError);
  });

  it('keeps so many entries, the newest', async ({ db }) => {
    const audit = createAuditRepository(db, { most: 5, trimEvery: 3 });
    for (let written = 0; written < 25; written++) await audit.append(entry('sign-in', 'usr_1', String(written)));
    const kept = (await audit.list({ limit: 200 })).items.map(({ target }) => Number(target));
    expect(kept.length).toBeGreaterThanOrEqual(5);
    expect(kept.length).toBeLessThanOrEqual(8);
    expect(kept).toEqual(kept.map((_, index) => 24 - index));
  });

  it('expires by age, even under floods: failed sign-ins and one person evict only their own', async ({ db }) => {
    let time = 1_700_000_000_000;
    const audit = createAuditRepository(db, { now: () => time++, most: 5, mostFailedSignIns: 3, trimEvery: 2 });
    await audit.append(entry('owner-created', 'usr_9', 'old'));
    time += 401 * 86_400_000;
    await audit.append(entry('user-deleted', 'usr_2', 'matters'));
    await audit.append(entry('key-created', 'usr_2', 'other'));
    for (let tried = 0; tried < 20; tried++) await audit.append(entry('sign-in-failed', null, 'eve'));
    for (let made = 0; made < 20; made++) await audit.append(entry('key-created', 'usr_1', 'flood'));
    const kept = (await audit.list({ limit: 200 })).items.map(({ target }) => target);
    const countOf = (name: string) => kept.filter((target) => target === name).length;
    expect(kept.slice(-2)).toEqual(['other', 'matters']);
    expect(countOf('eve')).toBeLessThanOrEqual(4);
    expect(countOf('eve')).toBeGreaterThanOrEqual(3);
    expect(countOf('flood')).toBeLessThanOrEqual(6);
    expect(countOf('old')).toBe(0);
  });
});
