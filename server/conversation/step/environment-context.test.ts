import { expect, test, vi } from 'vitest';
import { hereParts, describeEnvironment } from '#server/conversation/step/environment-context';
import type { TurnSite } from '#server/conversation/step/site-context';
import type { Message } from '#server/core/conversation/messages';
import type { Turn } from '#server/core/conversation/turns';
import { partsOf, Site } from '#server/site/site';
import { startTestServices } from '#tests/support/test-services';

const ROOMY = { site: 180, message: 10_000, usedShare: () => 0.2 };
const OWN_SITE: Omit<TurnSite, 'content'> = { id: 'embedded', address: null };

const it = test
  // Vitest reads the names of the fixtures from this pattern.
  // oxlint-disable-next-line no-empty-pattern
  .extend('talk', async ({}, { onCleanup }) => {
  const services = await startTestServices();
  onCleanup(() => services[Symbol.asyncDispose]());
  const {
    messages,
    builtIn: { content },
  } = services;
  const { id: sessionId } = await services.sessions.create({ ownerId: 'own_local' });
  const textOf = ({ parts }: Pick<Message, 'parts'>) =>
    parts.flatMap((part) => (part.type === 'situation' ? [part.content.text] : [])).join('');
  return {
    sessionId,
    content,
    /** Stores a message and returns its environment context. */
    async tell(changes: Partial<TurnSite> = {}, limits = ROOMY, turnId?: string) {
      const site = { ...OWN_SITE, content, ...changes };
      const parts = hereParts({ zone: 'Europe/Berlin' });
      const message = await messages.append(sessionId, { role: 'user', parts, ...(turnId && { turnId }) });
      const turn = { id: 'trn_1', sessionId, userMessageId: message.id } as Turn;
      const view = messages.loadView(sessionId);
      await describeEnvironment({ view, site, mayRead: true, toolServers: [] }, { turn, message }, messages, limits);
      return textOf((await messages.find(message.id))!);
    },
  };
});

it('is left out of a message that leaves no room for it', async ({ talk }) => {
  expect(await talk.tell(undefined, { ...ROOMY, message: 5 })).toBe('');
  expect(await talk.tell()).toContain('Site: ');
});

it('is the time alone where the site does not answer, and everything the next time', async ({ talk }) => {
  const silent = new Promise<never>(() => undefined);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    const asked = Promise.withResolvers<void>();
    const settings = () => (asked.resolve(), silent);
    const told = talk.tell({ content: Object.assign(new Site(() => partsOf(talk.content)), { settings }) });
    await asked.promise;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await told).toMatch(/^Now: [^\n]+$/);
  } finally {
    vi.useRealTimers();
  }
  expect(await talk.tell()).toContain('Site: ');
});

it('says nothing for the clock alone until a quarter of an hour has passed', async ({ talk }) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  try {
    expect(await talk.tell()).toContain('Site: ');
    vi.advanceTimersByTime(14 * 60_000);
    expect(await talk.tell()).toBe('');
    vi.advanceTimersByTime(2 * 60_000);
    expect(await talk.tell()).toMatch(/^Now: [^\n]+$/);
  } finally {
    vi.useRealTimers();
  }
});

it('is sent in full, without changes, when the session switches to another site', async ({ talk }) => {
  await talk.tell();
  await talk.content.updateSettings({ siteName: 'Elsewhere' }, { actor: 'user' });
  const told = await talk.tell({ id: 'wps_1', address: 'https://elsewhere.example' });
  expect(told).toContain('Site: "Elsewhere", https://elsewhere.example');
  expect(told).not.toContain('Changed by others');
});

it('lists deleted pages', async ({ talk }) => {
  const { entry } = await talk.content.create({ type: 'page', title: 'Old', slug: 'old' }, { actor: 'user' });
  await talk.tell();
  await talk.content.trash(entry.id, { actor: 'user' });
  expect(await talk.tell()).toMatch(/\nGone: Page \/\S* "Old" draft\n/);
});

it('names the former path of a page that has moved, once', async ({ talk }) => {
  const { entry } = await talk.content.create({ type: 'page', title: 'Courses', slug: 'courses' }, { actor: 'user' });
  await talk.tell();
  const set = (field: 'slug' | 'title', value: string) =>
    talk.content.patch(entry.id, [{ op: 'set', field, value }], { actor: 'user' });
  await set('slug', 'workshops');
  expect(await talk.tell()).toContain('\nPage /workshops "Courses" draft, was /courses\n');
  await set('title', 'Workshops');
  const renamed = await talk.tell();
  expect(renamed).toContain('\nPage /workshops "Workshops" draft\n');
  expect(renamed).not.toContain(', was');
});

it('names the path for visitors until the new one is published', async ({ talk }) => {
  const { entry } = await talk.content.create({ type: 'page', title: 'Rooms', slug: 'rooms' }, { actor: 'user' });
  await talk.content.publish(entry.id, { actor: 'user' });
  await talk.tell();
  await talk.content.patch(entry.id, [{ op: 'set', field: 'slug', value: 'stay' }], { actor: 'user' });
  const moved = '\nPage /stay "Rooms" changed, for visitors still at /rooms\n';
  expect(await talk.tell()).toContain(moved);
  // All of it again, as after a compaction.
  expect(await talk.tell({ id: 'wps_1' })).toContain(moved);
  await talk.content.publish(entry.id, { actor: 'user' });
  expect(await talk.tell({ id: 'wps_1' })).toContain('\nPage /stay "Rooms" published\n');
});

it('reports the fill of the context window from 60 % on, in steps of 10 %', async ({ talk }) => {
  const windowLine = async (share: number) =>
    (await talk.tell({}, { ...ROOMY, usedShare: () => share })).match(/^Context window: .*$/m)?.[0] ?? null;
  expect(await windowLine(0.59)).toBeNull();
  expect(await windowLine(0.6)).toContain('about 60 % used');
  expect(await windowLine(0.69)).toBeNull();
  expect(await windowLine(0.7)).toContain('about 70 % used');
  expect(await windowLine(1.2)).toContain('about 100 % used');
  expect(await windowLine(0.5)).toContain('less than 60 % used');
  expect(await windowLine(0.4)).toBeNull();
});

it('lists changes of a replaced answer, but not of a current one', async ({ talk }) => {
  await talk.tell(undefined, ROOMY, 'trn_standing');
  const origin = (turnId: string) => ({ actor: 'assistant', sessionId: talk.sessionId, turnId }) as const;
  await talk.content.create({ type: 'post', title: 'Standing', slug: 'one' }, origin('trn_standing'));
  await talk.content.create({ type: 'post', title: 'Taken back', slug: 'two' }, origin('trn_gone'));
  const told = await talk.tell();
  expect(told).toContain('"Taken back"');
  expect(told).not.toContain('"Standing"');
});
