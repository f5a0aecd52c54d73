import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PagePresence } from '#components/editor/model/page-presence.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('reports a field immediately, also while the previous report is being sent', async () => {
  const answers: (() => void)[] = [];
  const places: unknown[] = [];
  vi.stubGlobal('fetch', async (_: string, { body }: { readonly body: string }) => {
    places.push((JSON.parse(body) as { readonly place: unknown }).place);
    await new Promise<void>((resolve) => answers.push(resolve));
    return Response.json({ others: [], revision: 1 });
  });
  const presence = new PagePresence('pag_1', () => undefined);
  presence.moveTo({ sectionId: 'sec_1', field: 'heading' });
  await vi.advanceTimersByTimeAsync(200);
  presence.moveTo({ sectionId: 'sec_1', field: 'text' });
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(200);
  expect(places).toEqual([
    { sectionId: 'sec_1', field: 'heading' },
    { sectionId: 'sec_1', field: 'text' },
  ]);
  presence.end();
});
