import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@libsql/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { readScheduled } from '#server/site/reports/read-scheduled';
import type { ChangeOrigin } from '#server/core/site/changes';
import type { RepeatingTimer } from '#server/core/repeating-timer';
import { createDuePublications } from '#server/site/connections/publish-due';
import { createContentRepository } from '#server/site/store/content-repository';
import { createLeases, type Leases } from '#server/platform/database/leases';
import { createTestDatabase } from '#tests/support/test-database';

const START = 1_700_000_000_000;
const MINUTE = 60_000;
const planner: ChangeOrigin = { actor: 'assistant', userId: 'usr_1', sessionId: 'ses_1', turnId: 'trn_1' };
const user: ChangeOrigin = { actor: 'user', sessionId: 'ses_1' };

interface Site {
  readonly url: string;
  readonly content: ContentBackend;
  readonly leases: Leases;
  readonly due: RepeatingTimer;
  readonly faults: string[];
  /** Lets time go by, once all that was begun before has ended; what it begins has ended when it resolves. */
  readonly pass: (ms: number) => Promise<void>;
  /** A draft, planned for a time (milliseconds from the start). */
  readonly plan: (title: string, inMs: number) => Promise<string>;
}

/**
 * A site with a separate clock. Only the timers and the clock are held.
 * @param between runs between the read of an entry and its publication
 */
async function withSite(
  test: (site: Site) => Promise<void>,
  between: (content: ContentBackend, entryId: string) => Promise<unknown> = async () => undefined,
): Promise<void> {
  await using db = await createTestDatabase();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: START });
  onTestFinished(() => void vi.useRealTimers());
  const faults: string[] = [];
  const content = new EmbeddedSite(createContentRepository(db), { onSchedule: () => due.wake() });
  const leases = createLeases(db);
  const due = createDuePublications({
    siteId: 'embedded',
    content: {
      query: (query) => content.query(query),
      find: (ref) => content.find(ref),
      changes: (query) => content.changes(query),
      async publish(id, ...how) {
        await between(content, id);
        return content.publish(id, ...how);
      },
    },
    leases,
    onFault: (message) => faults.push(message),
  });
  const plan = async (title: string, inMs: number) => {
    const { entry } = await content.create({ type: 'post', title }, planner);
    await content.schedule(entry.id, START + inMs, planner);
    return entry.id;
  };
  const pass = async (ms: number) => {
    await untilAsleep();
    await vi.advanceTimersByTimeAsync(ms);
    await untilAsleep();
  };
  try {
    await test({ url: db.url, content, leases, due, faults, pass, plan });
  } finally {
    await due.close();
  }
}

/** The publisher is idle until the next timer: the clock must not pass a slow database. */
async function untilAsleep(): Promise<void> {
  while (vi.getTimerCount() === 0) await new Promise(setImmediate);
}

const publicationsOf = async (content: ContentBackend) =>
  (await content.changes({ actor: 'schedule' })).map(({ title }) => title).toReversed();
const untilPublished = (content: ContentBackend, titles: readonly string[]) =>
  expect.poll(() => publicationsOf(content)).toEqual(titles);

describe('planned publications', () => {
  it('happen on time, also when planned while it sleeps, for the planning user', () =>
    withSite(async ({ content, due, pass, plan }) => {
      due.start();
      const id = await plan('Soon', 5_000);
      await pass(4_999);
      expect(await publicationsOf(content)).toEqual([]);
      await pass(1);
      await untilPublished(content, ['Soon']);
      expect(await content.get(id)).toMatchObject({ status: 'published', publishedAt: START + 5_000, publishAt: null });
      const [change] = await content.changes({ targetId: id, limit: 1 });
      expect(change).toMatchObject({ action: 'publish', origin: { ...planner, actor: 'schedule' } });
    }));

  it('are caught up in order after downtime, and survive clock jumps', () =>
    withSite(async ({ content, due, pass, plan }) => {
      await plan('Third', 3 * MINUTE);
      await plan('First', MINUTE);
      await plan('Second', 2 * MINUTE);
      await plan('Later', 60 * MINUTE);
      vi.setSystemTime(START + 10 * MINUTE);
      due.start();
      await untilPublished(content, ['First', 'Second', 'Third']);
      vi.setSystemTime(START + 60 * MINUTE);
      await pass(30_000);
      await untilPublished(content, ['First', 'Second', 'Third', 'Later']);
    }));

  it('publish what was planned: later changes stay a draft', () =>
    withSite(async ({ content, due, pass, plan }) => {
      due.start();
      const id = await plan('Agreed', 5_000);
      await content.patch(id, [{ op: 'set', field: 'title', value: 'Slipped in' }], planner);
      await pass(5_000);
      await untilPublished(content, ['Slipped in']);
      const { status, draft, published } = await content.get(id);
      expect([status, draft.title, published?.title]).toEqual(['changed', 'Slipped in', 'Agreed']);
    }));

  it('of a database without planned documents publish the draft as found', () =>
    withSite(async ({ content, url, due, pass, plan }) => {
      const id = await plan('As found', 5_000);
      const client = createClient({ url });
      await client.execute('update entries set planned = null');
      await client.execute(`update revisions set before = json_remove(before, '$.planned'), after = json_remove(after, '$.planned')`); // oxfmt-ignore
      client.close();
      await content.patch(id, [{ op: 'set', field: 'title', value: 'Slipped in' }], planner);
      due.start();
      await pass(5_000);
      await untilPublished(content, ['Slipped in']);
      expect((await content.get(id)).published?.title).toBe('As found');
    }));

  it('are undone with the session, and do not happen again after that', () =>
    withSite(async ({ content, due, pass, plan }) => {
      const { entry } = await content.create({ type: 'page', title: 'Team' }, { actor: 'seed' });
      await content.schedule(entry.id, START + 1_000, planner);
      await plan('News', 1_000);
      due.start();
      await pass(1_000);
      await untilPublished(content, ['Team', 'News']);
      const { conflicts } = await content.undoAll({ sessionId: 'ses_1' }, user);
      expect(conflicts).toEqual([]);
      expect(await content.get(entry.id)).toMatchObject({ status: 'draft', published: null, publishAt: null });
      expect(await content.find('news')).toBeNull();
      due.wake();
      await pass(MINUTE);
      expect(await publicationsOf(content)).toEqual(['Team', 'News']);
    }));

  it('do not happen again where one of them, or what took a plan away, is undone after its time', () =>
    withSite(async ({ content, due, pass, plan }) => {
      const [first, second, third] = [
        await plan('First', 1_000),
        await plan('Second', 2_000),
        await plan('Third', 2_000),
      ];
      due.start();
      await pass(1_000);
      await untilPublished(content, ['First']);
      const takers = [await content.publish(second, user), await content.trash(third, user)];
      await pass(MINUTE);
      const [published] = await content.changes({ targetId: first, limit: 1 });
      const undone = [];
      for (const change of [published, ...takers.map((taker) => taker.change)])
        undone.push(await content.undo(change?.id, user));
      due.wake();
      await pass(MINUTE);
      for (const id of [first, second, third]) {
        expect(await content.get(id)).toMatchObject({ status: 'draft', publishAt: null });
      }
      expect(undone.map(({ summary }) => summary.includes('the time it was planned for has passed'))).toEqual([
        false,
        true,
        true,
      ]);
    }));

  it('that fail stay planned, report the reason, and are retried with growing delays', () =>
    withSite(async ({ content, due, faults, pass, plan }) => {
      const id = await plan('News', 1_000);
      // Published under the slug, and another one as a draft.
      const { entry } = await content.create({ type: 'post', title: 'Old', slug: 'old' }, user);
      await content.patch(id, [{ op: 'set', field: 'slug', value: 'fresh' }], user);
      await content.patch(entry.id, [{ op: 'set', field: 'slug', value: 'news' }], user);
      await content.publish(entry.id, user);
      await content.patch(entry.id, [{ op: 'set', field: 'slug', value: 'older' }], user);
      await content.patch(id, [{ op: 'set', field: 'slug', value: 'news' }], user);
      await content.schedule(id, START + 1_000, user);
      expect((await readScheduled(content, {})).items).toMatchObject([{ id, problem: null }]);
      due.start();
      await pass(1_000);
      expect(faults).toHaveLength(1);
      const { items } = await readScheduled(content, {});
      expect(items).toMatchObject([
        { id, publishAt: START + 1_000, problem: expect.stringContaining(entry.id) as string },
      ]);
      for (let n = 0; n < 9; n += 1) await pass(30_000);
      expect(faults).toHaveLength(3);
      await content.patch(id, [{ op: 'set', field: 'slug', value: 'fresh' }], user);
      await pass(30_000);
      expect(faults).toHaveLength(4);
      await content.schedule(id, Date.now() + 1_000, user);
      await pass(1_000);
      await untilPublished(content, ['News']);
      expect((await content.get(id)).published?.slug).toBe('fresh');
    }));

  it('do not happen after a cancellation or deletion, and none starts after the end', () =>
    withSite(async ({ content, due, pass, plan }) => {
      const [first, second] = [await plan('First', 1_000), await plan('Second', 1_000)];
      await plan('Third', 2_000);
      await plan('Fourth', 3_000);
      due.start();
      await content.schedule(first, null, user);
      await content.trash(second, user);
      await pass(2_000);
      await untilPublished(content, ['Third']);
      await due.close();
      due.wake();
      await vi.advanceTimersByTimeAsync(MINUTE);
      expect(await publicationsOf(content)).toEqual(['Third']);
    }));

  it('wait while another process publishes', () =>
    withSite(async ({ content, leases, due, pass, plan }) => {
      await plan('News', 1_000);
      const tries = vi.spyOn(leases, 'ifFree');
      await leases.withLease('publish-due:embedded', async () => {
        due.start();
        await pass(10_000);
        await expect.poll(() => tries.mock.settledResults).toEqual([{ type: 'fulfilled', value: null }]);
        expect(await publicationsOf(content)).toEqual([]);
      });
      await pass(30_000);
      await untilPublished(content, ['News']);
    }));

  it('do not happen if another person published, cancelled or changed it concurrently', () => {
    let times = 0;
    return withSite(
      async ({ content, due, faults, plan }) => {
        const [first, second] = [await plan('First', 1_000), await plan('Second', 2_000)];
        vi.setSystemTime(START + 2_000);
        due.start();
        await untilPublished(content, ['Second, edited']);
        expect(await content.get(first)).toMatchObject({ status: 'draft', publishAt: null });
        const { status, published, publishAt } = await content.get(second);
        expect([status, published?.title, publishAt]).toEqual(['changed', 'Second', null]);
        expect(faults).toEqual([]);
      },
      async (content, id) => {
        times += 1;
        if (times === 1) await content.schedule(id, null, user);
        if (times === 2) await content.patch(id, [{ op: 'set', field: 'title', value: 'Second, edited' }], user);
      },
    );
  });

  it('happen once, however many processes there are', async () => {
    const titles = Array.from({ length: 12 }, (_, n) => `Post ${n}`);
    await withSite(async ({ url, content, plan }) => {
      for (const title of titles) await plan(title, 1_000);
      vi.useRealTimers();
      const processes = [1, 2].map(() =>
        fork('tests/support/publish-due-process.ts', [url, String(START + 1_000)], { execArgv: [] }),
      );
      try {
        await Promise.all(processes.map((one) => once(one, 'message')));
        for (const one of processes) one.send('start');
        await expect.poll(() => publicationsOf(content)).toHaveLength(titles.length);
        const revisions = await Promise.all(titles.map(async (title) => (await content.get(title)).revision));
        expect(new Set(revisions)).toEqual(new Set([3]));
        expect((await publicationsOf(content)).toSorted()).toEqual(titles.toSorted());
      } finally {
        for (const one of processes) one.kill();
      }
    });
  });
});
