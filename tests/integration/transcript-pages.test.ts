import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTE_LABEL } from '#server/core/conversation/labels';
import type { NewMessage } from '#server/core/conversation/messages';
import type { ThroughlineUIMessage } from '#server/conversation/step/ui-messages';
import type { Services } from '#server/services';
import { call, result, say, text } from '#tests/support/turn-session';
import { startTestServices } from '#tests/support/test-services';
import { isDeep } from '#tests/support/deep';

interface TurnShape {
  /** Of an import, messages know nothing of turns. */
  readonly isImported: boolean;
  /** What follows the request, step by step: words of the user into the running turn, a note of the engine, calls. */
  readonly steps: readonly ('steering' | 'note' | 'calls')[];
}

const turns = fc.array(
  fc.record({
    isImported: fc.boolean(),
    steps: fc.array(fc.constantFrom('steering' as const, 'note' as const, 'calls' as const), { maxLength: 6 }),
  }),
  { maxLength: 12 },
);

/** @param turnId nowhere else in the database */
function messagesOf({ isImported, steps }: TurnShape, number: number, turnId: string): NewMessage[] {
  const of = isImported ? {} : { turnId, parentId: `msg_${number}` };
  const inTurn = (step: (typeof steps)[number], index: number): NewMessage[] => {
    const callId = `call_${number}_${index}`;
    if (step === 'steering' && !isImported) return [{ ...say(`Also ${index}`), turnId }];
    if (step === 'note' && !isImported) return [{ ...say(`${NOTE_LABEL} Go on.`), ...of }];
    return [
      { role: 'assistant', parts: [text(`Step ${index}`), call(callId, 'completed')], ...of },
      { role: 'tool', parts: [result(callId)], ...of },
    ];
  };
  return [
    { ...say(`Request ${number}`), ...(!isImported && { turnId }) },
    ...steps.flatMap(inTurn),
    { role: 'assistant', parts: [text(`Answer ${number}`)], ...of },
  ];
}

async function readPages({ transcriptPage }: Services, sessionId: string, limit: number) {
  const pages: ThroughlineUIMessage[][] = [];
  let cursor: string | undefined;
  do {
    const page = await transcriptPage(sessionId, { limit, cursor });
    pages.unshift(page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

describe('a transcript read backwards, page by page', () => {
  it('is complete, with whole turns on each page, for any turns', async () => {
    await using services = await startTestServices();
    await fc.assert(
      fc.asyncProperty(turns, fc.integer({ min: 1, max: 30 }), fc.boolean(), async (shapes, limit, startsInMid) => {
        const { id } = await services.sessions.create({ ownerId: 'own_local' });
        const opening: NewMessage[] = startsInMid ? [{ role: 'assistant', parts: [text('Welcome')] }] : [];
        const numbered = shapes.flatMap((shape, number) => messagesOf(shape, number, `${id}_${number}`));
        await services.messages.appendMany(id, [...opening, ...numbered]);
        const pages = await readPages(services, id, limit);
        expect(pages.flat()).toEqual(await services.transcript(id));
        for (const page of pages.slice(1)) expect(page[0]?.role).toBe('user');
        // Not more than was asked for, but for the turns at its start.
        for (const page of pages.slice(1))
          expect(page.filter(({ role }) => role === 'user').length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: isDeep ? 300 : 12 },
    );
  });

  it('begins with the newest and stays stable while the conversation continues', async () => {
    await using services = await startTestServices();
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    const shapes = Array.from({ length: 30 }, (): TurnShape => ({ isImported: true, steps: ['calls'] }));
    const history = shapes.flatMap((shape, n) => messagesOf(shape, n, ''));
    await services.messages.appendMany(id, history);
    const newest = await services.transcriptPage(id, { limit: 20 });
    expect(newest.items.map(({ role }) => role)).toEqual(Array.from({ length: 5 }, () => ['user', 'assistant']).flat());
    const before = await services.transcript(id);
    await services.messages.appendMany(id, [say('One more'), { role: 'assistant', parts: [text('Done')] }]);
    const earlier = await services.transcriptPage(id, { limit: 20, cursor: newest.nextCursor! });
    expect([...earlier.items, ...newest.items]).toEqual(before.slice(-20));
    expect([newest.newestEvent, earlier.newestEvent]).toEqual([await services.events.newestId(id), undefined]);
  });
});
