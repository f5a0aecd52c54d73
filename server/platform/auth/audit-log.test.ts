import { describe, expect, it } from 'vitest';
import { createAuditLog } from '#server/platform/auth/audit-log';
import type { NewAuditEntry } from '#server/core/admin/audit';
import type { ChangeSet } from '#server/core/site/changes';
import type { Principal } from '#server/core/admin/access-rights';
import { CLIENT_HEADER } from '#server/platform/auth/trusted-headers';

const key: Principal = { kind: 'key', userId: 'usr_1', name: 'Script', scopes: ['chat'], keyId: 'key_1', sites: null };

function logged() {
  const written: NewAuditEntry[] = [];
  const store = {
    append: async (entry: (typeof written)[number]) => void written.push(entry),
    list: async () => ({ items: [], nextCursor: null }),
    each: () => expect.fail('Not read.'),
  };
  return { written, audit: createAuditLog(store, (message) => expect.fail(message)) };
}

describe('the audit log', () => {
  it('records actor, action, target and origin', async () => {
    const { written, audit } = logged();
    const headers = new Headers({ [CLIENT_HEADER]: '203.0.113.5' });
    await audit.record(key, 'content-deleted', { target: 'Pricing', headers });
    const who = { userId: 'usr_1', keyId: 'key_1', actorName: 'Script', actorMessage: null };
    expect(written).toEqual([
      {
        action: 'content-deleted',
        ...who,
        target: 'Pricing',
        targetMessage: null,
        details: null,
        ipAddress: '203.0.113.5',
        requestId: null,
      },
    ]);
  });

  it('has no person for a failed sign-in', async () => {
    const { written, audit } = logged();
    await audit.record(null, 'sign-in-failed', { actorName: 'eve@site.test', headers: new Headers() });
    expect(written[0]).toMatchObject({ userId: null, keyId: null, actorName: 'eve@site.test', ipAddress: null });
  });

  it('records actions of the assistant under its user', async () => {
    const { written, audit } = logged();
    await audit.recordTool('delete_content', { actor: 'assistant', userId: 'usr_1', sessionId: 'ses_1' }, 'Pricing');
    expect(written[0]).toMatchObject({
      action: 'tool-run',
      userId: 'usr_1',
      actorName: 'Assistant',
      target: 'Pricing',
    });
    expect(written[0]?.details).toEqual({ tool: 'delete_content', sessionId: 'ses_1' });
  });

  describe('has what visitors notice of a site', () => {
    const change = (origin: ChangeSet['origin'], fields: Partial<ChangeSet> = {}): ChangeSet => ({
      id: 'chg_1',
      targetType: 'page',
      targetId: 'pag_1',
      slug: 'pricing',
      title: 'Pricing',
      revision: 2,
      action: 'publish',
      operations: [],
      inverse: [],
      summary: 'Published "Pricing"',
      summaryMessage: null,
      origin,
      undoneBy: null,
      createdAt: 0,
      ...fields,
    });
    const headers = new Headers({ [CLIENT_HEADER]: '203.0.113.5' });

    it('with user and origin; with the user alone for actions of an assistant', async () => {
      const { written, audit } = logged();
      await audit.during(key, headers, async () => {
        await audit.recordChanges('embedded', [change({ actor: 'api', userId: 'usr_1' })]);
        await audit.recordChanges('wps_1', [change({ actor: 'assistant', userId: 'usr_1', sessionId: 'ses_1' })]);
        await audit.recordChanges('embedded', [change({ actor: 'user', userId: 'usr_2' })]);
      });
      expect(written).toMatchObject([
        { actorName: 'Script', keyId: 'key_1', ipAddress: '203.0.113.5', details: { id: 'pag_1', changeId: 'chg_1' } },
        { actorName: 'Assistant', userId: 'usr_1', keyId: null, ipAddress: null, details: { siteId: 'wps_1' } },
        { actorName: 'Unknown', userId: 'usr_2', keyId: null, ipAddress: null },
      ]);
    });

    it('in one entry of each kind, and nothing of imports and of the site’s own CMS', async () => {
      const { written, audit } = logged();
      const by = { actor: 'user', userId: 'usr_1', sessionId: 'ses_1' } as const;
      const kinds = [{ targetType: 'settings' }, { targetType: 'navigation' }, { targetType: 'asset' }] as const;
      await audit.recordChanges('embedded', [
        change(by),
        change(by),
        ...kinds.map((kind) => change(by, { ...kind, action: 'update' })),
        change(by, { action: 'discard' }),
        change(by, { targetType: 'asset', action: 'undo' }),
        change({ actor: 'import' }),
        change({ actor: 'external' }),
      ]);
      expect(written.map(({ action, target }) => `${action} ${target}`)).toEqual([
        'content-published 2 changes',
        'site-settings-changed Site settings',
        'menu-changed Menu',
        'media-changed Pricing',
        'content-scheduled Pricing',
        'changes-undone Pricing',
      ]);
      expect(written[0]?.details).toEqual({ sessionId: 'ses_1' });
    });
  });

  it('does not fail the action when it cannot be written, and reports that', async () => {
    const faults: string[] = [];
    const fail = () => Promise.reject(new Error('full'));
    const store = { append: fail, list: fail, each: () => expect.fail('Not read.') };
    const audit = createAuditLog(store, (message) => void faults.push(message));
    await audit.record(key, 'settings-changed');
    expect(faults).toEqual(['The audit log could not be written (settings-changed)']);
  });
});
