import { describe, expect, it } from 'vitest';
import { withTokens } from '#server/context/part-tokens';
import type { Entry } from '#server/core/site/content';
import type { ChangeOrigin, ChangeSet } from '#server/core/site/changes';
import type { NewMessage } from '#server/core/conversation/messages';
import { findSitePage } from '#server/site/public/find-page';
import type { Services } from '#server/services';
import { text } from '#tests/support/arbitrary-history';
import { turns } from '#tests/support/context-session';
import { startTestServices } from '#tests/support/test-services';
import { readSite, readSiteAt } from '#server/site/public/read-site';

const OWNER = 'own_local';

/** All that the drafts of the site show, page by page. */
async function siteNow({ builtIn: { content } }: Services) {
  const { items } = await content.query({ sort: 'created', order: 'asc', limit: 100 });
  return Promise.all(items.map(async ({ path }) => readSite(content, path.split('/').filter(Boolean), 'draft')));
}

async function siteThen({ builtIn: { content } }: Services, change: ChangeSet, paths: readonly string[]) {
  return Promise.all(paths.map((path) => readSiteAt(content, path.split('/').filter(Boolean), change.id)));
}

const counted = (messages: readonly NewMessage[]) =>
  messages.map((message) => ({ ...message, parts: message.parts.map(withTokens) }));

describe('the thread of a day', () => {
  it('of 60 changes, ten undone, with two summaries: each point is the former site', async () => {
    await using services = await startTestServices({ CONTEXT_WINDOW: '16000' });
    const {
      builtIn: { content },
    } = services;
    const session = await services.sessions.create({ ownerId: OWNER });
    const inTurn = (number: number): ChangeOrigin => ({
      actor: 'assistant',
      sessionId: session.id,
      turnId: `trn_${number}`,
      toolCallId: `call_${number}`,
    });
    const user: ChangeOrigin = { actor: 'user', userId: OWNER, sessionId: session.id };
    const pages: Entry[] = [];
    for (const title of ['Studio', 'Prices', 'Kilns']) {
      const sections = [{ type: 'text', fields: { heading: title, body: 'First words.' } }] as const;
      pages.push((await content.create({ type: 'page', title, sections }, inTurn(pages.length))).entry);
    }
    const paths = ['/studio', '/prices', '/kilns'];
    const points: { change: ChangeSet; site: Awaited<ReturnType<typeof siteThen>> }[] = [];
    const note = async (change: ChangeSet) => {
      const site = await Promise.all(paths.map((path) => readSite(content, [path.slice(1)], 'draft')));
      points.push({ change, site });
    };
    const summarize = async () => {
      await services.messages.appendMany(session.id, counted(turns(12, 500, 60)));
      expect(await services.context.compact(session)).toMatchObject({ status: 'completed' });
    };
    const standing: ChangeSet[] = [];
    for (let step = 3; step < 60; step += 1) {
      const page = pages[step % 3]!;
      const [section] = page.draft.sections;
      const { change } =
        step % 20 === 19
          ? { change: await content.setNavigation([{ label: `Menu ${step}`, href: '/prices' }], inTurn(step)) }
          : await content.patch(
              page.id,
              [{ op: 'set-section', sectionId: section!.id, fields: { body: `Words of step ${step}.` } }],
              step % 7 === 0 ? { actor: 'user', userId: OWNER } : inTurn(step),
            );
      standing.push(change);
      await note(change);
      if (step % 6 === 5) {
        const undo = await content.undo(standing.at(-1)!.id, user);
        await note(undo);
      }
      if (step === 20 || step === 40) await summarize();
    }
    const undone = points.filter(({ change }) => change.action === 'undo');
    expect([points.length - undone.length + pages.length, undone.length]).toEqual([60, 10]);

    // Each point, field by field: settings, menu, posts and every page.
    for (const { change, site } of points) expect(await siteThen(services, change, paths)).toEqual(site);

    const thread = await services.thread(session, { limit: 1_000 });
    expect(thread.total).toBe(60 + 2);
    expect(thread.items.filter(({ kind }) => kind === 'summary')).toHaveLength(2);
    expect(thread.items.filter(({ changes }) => changes.some(({ undoneBy }) => undoneBy !== null))).toHaveLength(10);
    expect(thread.items.filter(({ kind }) => kind === 'hand').length).toBe(8);

    // One page from the middle; the others stay, and one undo is the way back.
    const middle = points[Math.floor(points.length / 2)]!;
    const before = await siteNow(services);
    const { changes, along } = await content.restoreTo(middle.change.id, { targetId: pages[1]!.id }, user);
    expect(changes).toHaveLength(1);
    expect(along.every(({ targetId }) => targetId === pages[1]!.id)).toBe(true);
    const page = await findSitePage(content, ['prices'], 'draft');
    expect(page).toEqual(middle.site[1]!.page);
    const after = await siteNow(services);
    expect(after.map((site, index) => (paths[index] === '/prices' ? null : site.page))).toEqual(
      before.map((site, index) => (paths[index] === '/prices' ? null : site.page)),
    );
    const taken = (await services.thread(session, { limit: 1_000 })).items.flatMap((knot) => knot.changes);
    const gone = taken.filter(({ isTakenAlong }) => isTakenAlong).map(({ id }) => id);
    expect(along.filter(({ action }) => action !== 'undo').every(({ id }) => gone.includes(id))).toBe(true);
    await content.undo(undefined, user);
    expect(await siteNow(services)).toEqual(before);

    // All that the conversation changed since; and back.
    await content.restoreTo(middle.change.id, { sessionId: session.id }, user, { overOthers: true });
    expect(await siteThen(services, middle.change, paths)).toEqual(
      await Promise.all(paths.map((path) => readSite(content, [path.slice(1)], 'draft'))),
    );
    await content.undo(undefined, user);
    expect(await siteNow(services)).toEqual(before);
  });
});

describe('a search over conversations', () => {
  const say = async (services: Services, ownerId: string, title: string, said: readonly string[]) => {
    const { id } = await services.sessions.create({ ownerId, title });
    await services.messages.appendMany(id, counted(said.map((words) => ({ role: 'user', parts: [text(words)] }))));
    return id;
  };

  it('finds what its reader may see, and nothing of others or deleted sessions', async () => {
    await using services = await startTestServices();
    const mine = await say(services, OWNER, 'Glazes', ['The kiln is hot', 'Nothing', 'Another kiln']);
    await say(services, 'own_other', 'Theirs', ['My secret kiln']);
    const deleted = await say(services, OWNER, 'Gone', ['An old kiln']);
    await services.sessions.delete(deleted);
    const { items, nextCursor } = await services.searchSessions({ ownerId: OWNER }, 'kiln');
    expect(items.map(({ sessionId, title, snippet }) => [sessionId, title, snippet])).toEqual([
      [mine, 'Glazes', 'Another kiln'],
      [mine, 'Glazes', 'The kiln is hot'],
    ]);
    expect(nextCursor).toBeNull();
    expect((await services.searchSessions({ ownerId: 'own_other' }, 'kiln')).items).toHaveLength(1);
    expect((await services.searchSessions({ ownerId: 'own_nobody' }, 'kiln')).items).toEqual([]);
    for (const odd of ['"', '* OR session', 'session : "x"', '', '…']) {
      const { items: found } = await services.searchSessions({ ownerId: 'own_nobody' }, odd);
      expect(found).toEqual([]);
    }
  });

  it('finds what was summarized, page by page, each message once', async () => {
    await using services = await startTestServices({ CONTEXT_WINDOW: '16000' });
    const session = await services.sessions.create({ ownerId: OWNER, title: 'Long' });
    const said = Array.from({ length: 45 }, (_, index): NewMessage => {
      return { role: 'user', parts: [text(`kiln number ${index}`), text(`and the kiln again ${index}`)] };
    });
    await services.messages.appendMany(session.id, counted([...said, ...turns(12, 500, 60)]));
    await services.context.compact(session);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await services.searchSessions({ ownerId: OWNER }, 'kiln', { limit: 10, cursor });
      expect(page.items.length).toBeLessThanOrEqual(10);
      seen.push(...page.items.map(({ messageId }) => messageId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect([seen.length, new Set(seen).size]).toEqual([45, 45]);
    const some = await services.searchSessions({ ownerId: OWNER }, 'kiln unheard-of');
    expect(some.items.length).toBeGreaterThan(0);
    await expect(services.searchSessions({ ownerId: OWNER }, 'kiln', { cursor: 'x' })).rejects.toThrow(/cursor/);
  });

  it('lists a message on one page only, also if others were written between its parts', async () => {
    await using services = await startTestServices();
    const { sessions, messages } = services;
    const begun: { readonly id: string; readonly sessionId: string }[] = [];
    for (const title of ['One', 'Two', 'Three']) {
      const { id: sessionId } = await sessions.create({ ownerId: OWNER, title });
      const [message] = await messages.appendMany(
        sessionId,
        counted([{ role: 'user', parts: [text(`${title} kiln`)] }]),
      );
      begun.push(message!);
    }
    // As three answers that are written concurrently.
    for (let round = 0; round < 4; round += 1)
      for (const { id } of begun) await messages.addPart(id, withTokens(text(`kiln of round ${round}`)));
    const readAll = async (scope: Parameters<Services['searchSessions']>[0]) => {
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await services.searchSessions(scope, 'kiln', { limit: 1, cursor });
        pages.push(page.items.map(({ sessionId, title }) => `${sessionId} ${title}`));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return pages;
    };
    const named = (index: number, title: string) => [`${begun[index]!.sessionId} ${title}`];
    expect(await readAll({ ownerId: OWNER })).toEqual([named(2, 'Three'), named(1, 'Two'), named(0, 'One')]);
    expect(await readAll({ sessionId: begun[1]!.sessionId })).toEqual([named(1, 'Two')]);
  });
});
