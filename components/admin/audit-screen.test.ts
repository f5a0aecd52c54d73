import { afterAll, beforeAll, expect } from 'vitest';
import { actorOf, targetOf, valuesOf } from '#components/admin/audit-screen';
import { setLanguage } from '#components/language.ts';
import { loadLanguage } from '#components/load-language.ts';
import { changedValues } from '#server/core/admin/audit';
import { serverText } from '#server/core/messages/server-text';
import { targetNames } from '#server/core/site/document-names';
import { createAuditLog } from '#server/platform/auth/audit-log';
import { localOwner } from '#server/platform/auth/authenticator';
import { createAuditRepository } from '#server/platform/auth/store/audit-repository';
import { auditEntries } from '#server/platform/database/schema/people';
import { itWithDatabase as it } from '#tests/support/test-database';

beforeAll(async () => setLanguage(await loadLanguage('de')));
afterAll(async () => setLanguage(await loadLanguage('en')));

it('names actors and targets of stored entries in German, and leaves titles unchanged', async ({ db }) => {
  const audit = createAuditLog(createAuditRepository(db), (message) => expect.fail(message));
  const byAssistant = { actor: 'assistant', userId: 'usr_1' } as const;
  const menu = { type: 'navigation', title: 'Menu' };
  const page = { type: 'page', title: 'Menu' };
  await audit.record(localOwner, 'settings-changed', { target: 'autoCompact', details: { settings: ['autoCompact'] } });
  await audit.record(null, 'sign-in-failed', { target: serverText('audit-recovery-code') });
  await audit.recordTool('set_navigation', byAssistant, targetNames([menu]));
  await audit.recordTool('publish_content', byAssistant, targetNames([page]));
  await audit.recordTool('undo', byAssistant, targetNames([page, menu]));
  const { items } = await audit.list({});
  expect(items.toReversed().map((entry) => [actorOf(entry), targetOf(entry)])).toEqual([
    ['Inhaber', 'Automatische Verdichtung'],
    ['Unbekannt', 'Wiederherstellungscode'],
    ['Assistent', 'Menü'],
    ['Assistent', 'Menu'],
    ['Assistent', 'Menu, Menü'],
  ]);
  expect(items[0]).toMatchObject({ actorName: 'Assistant', target: 'Menu, Menu' });
});

it('shows values before and after in German, also those of older entries', async ({ db }) => {
  const audit = createAuditLog(createAuditRepository(db), (message) => expect.fail(message));
  const changes = changedValues(
    ['autoCompact', 'turnTimeLimitMs', 'role'],
    { autoCompact: true, turnTimeLimitMs: 600_000, role: 'admin' },
    { autoCompact: false, turnTimeLimitMs: 900_000, role: 'admin' },
  );
  await audit.record(localOwner, 'settings-changed', { details: { settings: ['autoCompact'], changes } });
  await audit.record(localOwner, 'user-changed', { details: { role: 'author', formerRole: 'editor' } });
  await audit.record(localOwner, 'key-created', { details: { scopes: ['chat', 'content:read'] } });
  const units = { turnTimeLimitMs: { displayUnit: 'minutes', unit: 'ms' } } as const;
  const { items } = await audit.list({});
  expect(items.toReversed().map((entry) => valuesOf(entry, units))).toEqual([
    ['Automatische Verdichtung: an → aus', 'Zeit pro Auftrag: 10 Minuten → 15 Minuten'],
    ['Rolle: Redakteur → Autor'],
    ['Mit dem Assistenten sprechen, Website lesen'],
  ]);
});

it('shows the English text of entries that an earlier version stored', async ({ db }) => {
  const old = { id: 'aud_1', action: 'menu-changed', actorName: 'Assistant', target: 'Menu', createdAt: 1 };
  await db.write((tx) => tx.insert(auditEntries).values(old));
  const [entry] = (await createAuditRepository(db).list({})).items;
  expect([actorOf(entry!), targetOf(entry!)]).toEqual(['Assistant', 'Menu']);
});
