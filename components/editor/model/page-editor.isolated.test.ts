import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PageEditor } from '#components/editor/model/page-editor.ts';
import type { EntryDocument, PatchOp, Section } from '#server/core/site/content';
import type { ExpectedValue } from '#server/core/site/write-checks/write-conflict';
import { isJsonObject, type JsonValue, sameJson } from '#server/core/json';

vi.mock('sonner', () => ({ toast: vi.fn() }));

interface Patch {
  readonly operations: readonly PatchOp[];
  readonly expects?: readonly ExpectedValue[];
  readonly joins?: string;
}

/** A server with one page of two sections, which others write to as well. */
class FakeServer {
  revision = 1;
  isDown = false;
  readonly patches: Patch[] = [];
  sections: readonly Section[] = [
    { id: 'sec_hero', type: 'hero', fields: { heading: 'One', subheading: 'Two' } },
    { id: 'sec_faq', type: 'faq', fields: { items: [{ question: 'Q1', answer: 'A1' }, { question: 'Q2', answer: 'A2' }] } }, // oxfmt-ignore
  ];

  get entry() {
    const draft: EntryDocument = { title: 'Home', slug: 'home', sections: this.sections };
    return { id: 'pag_home', type: 'page', revision: this.revision, draft, path: '/' };
  }

  write(sectionId: string, fields: Readonly<Record<string, JsonValue>>): void {
    const write = (section: Section) => ({ ...section, fields: { ...section.fields, ...fields } });
    this.sections = this.sections.map((section) => (section.id === sectionId ? write(section) : section));
    this.revision += 1;
  }

  remove(sectionId: string): void {
    this.sections = this.sections.filter(({ id }) => id !== sectionId);
    this.revision += 1;
  }

  readonly fetch = async (address: string, init: RequestInit = {}): Promise<Response> => {
    if (this.isDown) throw new TypeError('No line');
    if (address.startsWith('/api/content/at')) return Response.json({ entry: this.entry });
    if (address.startsWith('/api/content/presence')) return Response.json({ others: [], revision: this.revision });
    if (address.startsWith('/api/content/changes')) return Response.json({ items: [], nextCursor: null });
    return init.method === 'PATCH' ? this.#patch(JSON.parse(init.body as string) as Patch) : Response.json({});
  };

  #patch(patch: Patch): Response {
    this.patches.push(patch);
    const fieldsOf = (id: string | null) => this.sections.find((section) => section.id === id)?.fields ?? {};
    const isOld = ({ sectionId, field, value }: ExpectedValue) =>
      !sameJson(fieldsOf(sectionId)[field ?? ''] ?? null, value);
    if (patch.expects?.some(isOld) === true)
      return Response.json({ error: { code: 'conflict', message: 'Changed' } }, { status: 409 });
    for (const operation of patch.operations)
      if (operation.op === 'set-section' && isJsonObject(operation.fields))
        this.write(operation.sectionId, operation.fields);
    const change = { id: patch.joins ?? `chg_${this.revision}`, revision: this.revision };
    return Response.json({ entry: this.entry, change });
  }
}

const heading = { sectionId: 'sec_hero', field: 'heading' };
let server: FakeServer;
let stored: Record<string, string>;
let page: EventTarget & { visibilityState: string };

/** The editor of a page that is just being loaded, which is a new module to the browser too. */
async function begin(): Promise<{ editor: PageEditor; end: () => void }> {
  vi.resetModules();
  const { pageEditorAt } = await import('#components/editor/model/page-editor.ts');
  const editor = pageEditorAt('/');
  return { editor, end: editor.subscribe(() => undefined) };
}

async function open(): Promise<PageEditor> {
  const { editor } = await begin();
  await vi.waitFor(() => expect(editor.getState().document).not.toBeNull());
  return editor;
}

const headingOf = (editor: PageEditor) => editor.getState().document?.sections[0]?.fields['heading'];

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  stored = {};
  page = Object.assign(new EventTarget(), { visibilityState: 'visible', documentElement: { lang: 'en' } });
  const store = (values: Record<string, string>) => ({
    getItem: (key: string) => values[key] ?? null,
    setItem: (key: string, text: string) => void (values[key] = text),
    removeItem: (key: string) => void Reflect.deleteProperty(values, key),
  });
  const local = new Proxy(stored, { get: (_, key) => Reflect.get({ ...stored, ...store(stored) }, key) });
  vi.stubGlobal('localStorage', local);
  vi.stubGlobal('sessionStorage', store({ 'throughline-tab': 'this tab' }));
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', Object.assign(new EventTarget(), { location: { pathname: '/', search: '' } }));
  vi.stubGlobal('fetch', server.fetch);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
// Other files share this worker's modules.
afterAll(() => {
  vi.doUnmock('sonner');
  vi.resetModules();
});

it('saves typed text after a pause, based on the value it replaces, and extends that change', async () => {
  const editor = await open();
  editor.setValue(heading, 'F');
  editor.setValue(heading, 'Fi');
  expect([headingOf(editor), editor.getState().save]).toEqual(['Fi', 'waiting']);
  await vi.advanceTimersByTimeAsync(900);
  expect(editor.getState()).toMatchObject({ save: 'saved', entry: { revision: 2 } });
  editor.setValue(heading, 'Fire');
  await vi.advanceTimersByTimeAsync(900);
  expect(server.patches).toEqual([
    { operations: [expect.anything()], expects: [{ ...heading, value: 'One' }] },
    { operations: [expect.anything()], expects: [{ ...heading, value: 'Fi' }], joins: 'chg_2' },
  ]);
  expect(stored).toEqual({});
});

it('saves one field before the next, and all of them before a change of structure', async () => {
  const editor = await open();
  editor.setValue(heading, 'Fire');
  editor.setValue({ sectionId: 'sec_hero', field: 'subheading' }, 'Clay');
  await vi.advanceTimersByTimeAsync(0);
  expect(server.sections[0]?.fields).toMatchObject({ heading: 'Fire' });
  editor.setValue(heading, 'Fire!');
  await editor.apply([{ op: 'move-section', sectionId: 'sec_hero', index: 1 }]);
  expect(server.patches.map(({ operations }) => operations[0]?.op)).toEqual([
    'set-section',
    'set-section',
    'set-section',
    'move-section',
  ]);
});

it('merges with what others wrote in other items of the same list', async () => {
  const editor = await open();
  editor.setValue({ sectionId: 'sec_faq', field: 'items.1.answer' }, 'Mine');
  server.write('sec_faq', {
    items: [
      { question: 'Q1', answer: 'Theirs' },
      { question: 'Q2', answer: 'A2' },
    ],
  });
  await vi.advanceTimersByTimeAsync(900);
  expect(server.sections[1]?.fields['items']).toEqual([
    { question: 'Q1', answer: 'Theirs' },
    { question: 'Q2', answer: 'Mine' },
  ]);
  expect(editor.getState().save).toBe('saved');
});

it.each(['mine', 'theirs'] as const)('asks which of two texts stays, and keeps %s', async (choice) => {
  const editor = await open();
  editor.setValue(heading, 'Mine');
  server.write('sec_hero', { heading: 'Theirs' });
  await vi.advanceTimersByTimeAsync(900);
  expect(editor.getState()).toMatchObject({ save: 'conflict', conflict: { mine: 'Mine', theirs: 'Theirs' } });
  expect(headingOf(editor)).toBe('Mine');
  editor.resolve(choice);
  await vi.advanceTimersByTimeAsync(0);
  expect(server.sections[0]?.fields['heading']).toBe(choice === 'mine' ? 'Mine' : 'Theirs');
  expect(headingOf(editor)).toBe(choice === 'mine' ? 'Mine' : 'Theirs');
  expect([editor.getState().save, editor.getState().conflict]).toEqual(['saved', null]);
});

it('keeps a text of a removed section for copying', async () => {
  const editor = await open();
  editor.setValue(heading, 'Mine');
  server.remove('sec_hero');
  await vi.advanceTimersByTimeAsync(900);
  expect(editor.getState().conflict).toMatchObject({ mine: 'Mine', theirs: null, isGone: true });
});

it('waits without a line, and saves when it is back', async () => {
  const editor = await open();
  server.isDown = true;
  editor.setValue(heading, 'Kept');
  await vi.advanceTimersByTimeAsync(2_000);
  expect([editor.getState().save, headingOf(editor)]).toEqual(['waiting', 'Kept']);
  server.isDown = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(server.sections[0]?.fields['heading']).toBe('Kept');
  expect(editor.getState().save).toBe('saved');
});

/** Answers the first readings of the page with a status. Tells how often it was read. */
function refuseReadings(status: number, count: number): () => number {
  let readings = 0;
  vi.stubGlobal('fetch', async (address: string, init: RequestInit = {}) => {
    if (address.startsWith('/api/content/at') && ++readings <= count) return new Response('No', { status });
    return server.fetch(address, init);
  });
  return () => readings;
}

it('reads the page again after a first reading that failed', async () => {
  refuseReadings(502, 2);
  const { editor } = await begin();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(editor.getState().document).toBeNull();
  await vi.advanceTimersByTimeAsync(8_000);
  expect(headingOf(editor)).toBe('One');
});

it('reads a page that was opened without a line as soon as the line is back', async () => {
  server.isDown = true;
  const { editor } = await begin();
  await vi.advanceTimersByTimeAsync(100);
  expect(editor.getState().document).toBeNull();
  server.isDown = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(headingOf(editor)).toBe('One');
});

it('does not request a page again that the server refuses or that is no longer shown', async () => {
  const refused = refuseReadings(404, Infinity);
  await begin();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(refused()).toBe(1);

  const left = refuseReadings(502, Infinity);
  const { end } = await begin();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(left()).toBe(2);
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(left()).toBe(2);
});

it('saves immediately when the page is left, and sends unsaved text when it is reopened', async () => {
  const editor = await open();
  editor.setValue(heading, 'At once');
  page.visibilityState = 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(0);
  expect(server.sections[0]?.fields['heading']).toBe('At once');

  page.visibilityState = 'visible';
  server.isDown = true;
  editor.setValue(heading, 'Left behind');
  expect(Object.keys(stored)).toHaveLength(1);
  server.isDown = false;
  vi.clearAllTimers();
  const later = await open();
  await vi.advanceTimersByTimeAsync(0);
  expect(headingOf(later)).toBe('Left behind');
  expect(server.sections[0]?.fields['heading']).toBe('Left behind');
  expect(stored).toEqual({});
});

/** Keeps back the answer to the next PATCH, which the server has taken by then. */
function holdNextAnswer(): () => void {
  const held = Promise.withResolvers<void>();
  let patches = 0;
  vi.stubGlobal('fetch', async (address: string, init: RequestInit = {}) => {
    const answer = await server.fetch(address, init);
    if (init.method === 'PATCH' && ++patches === 1) await held.promise;
    return answer;
  });
  return held.resolve;
}

/** Hides the tab, and shows it again. */
async function lookAway(): Promise<void> {
  page.visibilityState = 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(100);
  page.visibilityState = 'visible';
  page.dispatchEvent(new Event('visibilitychange'));
}

it('writes on over what it sent when the tab was hidden during a save', async () => {
  const editor = await open();
  const answer = holdNextAnswer();
  editor.setValue(heading, 'A');
  await vi.advanceTimersByTimeAsync(900);
  editor.setValue(heading, 'AB');
  await lookAway();
  expect(server.sections[0]?.fields['heading']).toBe('AB');
  editor.setValue(heading, 'ABC');
  await lookAway();
  editor.setValue(heading, 'ABCD');
  answer();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(editor.getState()).toMatchObject({ save: 'saved', conflict: null });
  expect(server.sections[0]?.fields['heading']).toBe('ABCD');
});

it('writes on over it also when the page is opened again', async () => {
  const editor = await open();
  holdNextAnswer();
  editor.setValue(heading, 'A');
  await vi.advanceTimersByTimeAsync(900);
  editor.setValue(heading, 'AB');
  await lookAway();
  editor.setValue(heading, 'ABC');
  vi.clearAllTimers();
  vi.stubGlobal('fetch', server.fetch);
  const later = await open();
  await vi.advanceTimersByTimeAsync(0);
  expect(later.getState()).toMatchObject({ save: 'saved', conflict: null });
  expect(server.sections[0]?.fields['heading']).toBe('ABC');
});

it('attributes text that it sent on hiding to another editor after a later save', async () => {
  const editor = await open();
  const answer = holdNextAnswer();
  editor.setValue(heading, 'A');
  await vi.advanceTimersByTimeAsync(900);
  editor.setValue(heading, 'AB');
  await lookAway();
  editor.setValue(heading, 'ABC');
  answer();
  await vi.advanceTimersByTimeAsync(0);
  const answerLater = holdNextAnswer();
  await vi.advanceTimersByTimeAsync(3_000);
  editor.setValue(heading, 'ABCD');
  answerLater();
  server.write('sec_hero', { heading: 'AB' });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(editor.getState()).toMatchObject({ save: 'conflict', conflict: { mine: 'ABCD', theirs: 'AB' } });
});

it('offers unsaved text next to what others wrote since', async () => {
  const editor = await open();
  server.isDown = true;
  editor.setValue(heading, 'Left behind');
  server.isDown = false;
  server.write('sec_hero', { heading: 'Theirs' });
  vi.clearAllTimers();
  const later = await open();
  await vi.advanceTimersByTimeAsync(0);
  expect(later.getState().conflict).toMatchObject({ mine: 'Left behind', theirs: 'Theirs' });
  expect(server.sections[0]?.fields['heading']).toBe('Theirs');
});
