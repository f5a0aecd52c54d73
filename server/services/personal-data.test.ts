import { expect } from 'vitest';
import { DELETED_PERSON_NAME } from '#server/core/admin/access-rights';
import { createPeople, type People } from '#server/platform/auth/people';
import { createAuditRepository } from '#server/platform/auth/store/audit-repository';
import type { Database } from '#server/platform/database/database';
import { revisions } from '#server/platform/database/schema/content';
import { auditEntries } from '#server/platform/database/schema/people';
import { sessions } from '#server/platform/database/schema/sessions';
import { approvalMails } from '#server/platform/database/schema/turns';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createPersonalData } from '#server/services/personal-data';
import { itWithDatabase as it } from '#tests/support/test-database';

/* Parts of erasing a person that do not show over REST; tests/integration/personal-data.test.ts has the rest. */

const EMAIL = 'edith@kiln.example';

/** Olive, an administrator, and Edith, an editor. */
async function start(db: Database, changes: { people?: Partial<People>; stopWork?: (id: string) => Promise<void> }) {
  const people = createPeople(db);
  await people.create({ name: 'Olive', email: 'olive@kiln.example', role: 'admin' });
  const { id } = await people.create({ name: 'Edith', email: EMAIL, role: 'editor' });
  const personalData = createPersonalData({
    database: db,
    openPeople: async () => ({ ...people, ...changes.people }),
    sessions: createSessionRepository(db),
    stopWork: changes.stopWork ?? (async () => undefined),
  });
  return { id, personalData };
}

const audit = (db: Database, action: 'session-read' | 'session-exported' | 'session-deleted', details: object) =>
  createAuditRepository(db).append({
    action,
    userId: 'own_local',
    keyId: null,
    actorName: 'Olive',
    actorMessage: null,
    target: 'Diagnosis',
    targetMessage: null,
    details: { id: 'ses_1', ...details },
    ipAddress: null,
    requestId: null,
  });

it('removes the conversation titles of an erased person from the audit log, and no others', async ({ db }) => {
  const { id, personalData } = await start(db, {});
  const actions = ['session-read', 'session-exported', 'session-deleted'] as const;
  for (const action of actions) {
    await audit(db, action, { ownerId: id });
    await audit(db, action, { ownerId: 'usr_other' });
  }
  await personalData.erase(EMAIL);
  const rows = await db.read.select({ target: auditEntries.target, details: auditEntries.details }).from(auditEntries);
  const targetsOf = (owner: string) =>
    rows.filter(({ details }) => details?.includes(owner)).map(({ target }) => target);
  expect([targetsOf('"deleted"'), targetsOf('usr_other')]).toEqual([
    actions.map(() => DELETED_PERSON_NAME),
    actions.map(() => 'Diagnosis'),
  ]);
});

it('finds and removes the person in values before and after a change', async ({ db }) => {
  const { personalData } = await start(db, {});
  const changes = [
    { name: 'name', before: 'Edith', after: 'Edith Stone' },
    { name: 'role', before: 'author', after: 'editor' },
  ];
  const store = createAuditRepository(db);
  const entry = { userId: 'own_local', keyId: null, actorName: 'Olive', actorMessage: null, targetMessage: null };
  const more = { ...entry, ipAddress: null, requestId: null };
  await store.append({ ...more, action: 'user-changed', target: EMAIL, details: { changes } });
  const mail = [{ name: 'notices', before: EMAIL, after: 'olive@kiln.example' }];
  await store.append({ ...more, action: 'settings-changed', target: null, details: { changes: mail } });
  expect((await personalData.find(EMAIL)).renamed.audit).toBe(2);
  await personalData.erase(EMAIL);
  const stored = (await store.list({})).items.map(({ details }) => details?.['changes']);
  expect(stored).toContainEqual([{ name: 'name', before: 'deleted', after: 'deleted' }, changes[1]]);
  expect(stored).toContainEqual([{ name: 'notices', before: 'deleted', after: 'olive@kiln.example' }]);
});

it('lists and deletes the records of mails about approvals', async ({ db }) => {
  const { id, personalData } = await start(db, {});
  await db.write((tx) =>
    tx.insert(approvalMails).values([
      { userId: id, callId: 'prt_1', mailedAt: 1 },
      { userId: 'usr_other', callId: 'prt_1', mailedAt: 1 },
    ]),
  );
  expect(await personalData.find(EMAIL)).toMatchObject({ approvalMails: 1 });
  await personalData.erase(EMAIL);
  expect(await db.read.select({ userId: approvalMails.userId }).from(approvalMails)).toEqual([{ userId: 'usr_other' }]);
});

it('erases a conversation that was created until the work of the person was stopped', async ({ db }) => {
  const { personalData } = await start(db, {
    stopWork: async (ownerId) => {
      const now = Date.now();
      await db.write((tx) =>
        tx.insert(sessions).values({ id: 'ses_late', title: 'Late', ownerId, createdAt: now, updatedAt: now }),
      );
    },
  });
  const { account, conversations } = await personalData.erase(EMAIL);
  expect([account?.banned, conversations.map(({ id }) => id)]).toEqual([false, ['ses_late']]);
  expect(await db.read.select().from(sessions)).toEqual([]);
});

it('can be repeated completely if it is interrupted after the account was deleted', async ({ db }) => {
  const people = createPeople(db);
  const { id, personalData } = await start(db, {
    people: {
      remove: async (personId) => {
        await people.remove(personId);
        throw new Error('interrupted');
      },
    },
  });
  await db.write((tx) =>
    tx.insert(revisions).values({
      id: 'rev_1',
      seq: 1,
      targetType: 'page',
      targetId: 'pag_1',
      title: 'Pricing',
      revision: 1,
      action: 'create',
      operations: [],
      inverse: [],
      summary: 'Created',
      actor: 'user',
      userId: id,
      createdAt: 1,
    }),
  );
  await expect(personalData.erase(EMAIL)).rejects.toThrow('interrupted');
  expect(await personalData.erase(EMAIL)).toMatchObject({ account: null });
  const [change] = await db.read.select({ userId: revisions.userId }).from(revisions);
  expect(change?.userId).toMatch(/^del_/);
});
