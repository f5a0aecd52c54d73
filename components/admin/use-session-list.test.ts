import { expect, it } from 'vitest';
import { SessionReadings } from '#components/admin/use-session-list';
import type { SessionOverview, SessionState } from '#server/core/context-report';

/** Answers that are given when the test says so, in the order in which they were asked for. */
function heldReadings() {
  const answers: ((state: SessionState) => void)[] = [];
  const readings = new SessionReadings(async (id) => {
    const { promise, resolve } = Promise.withResolvers<SessionState>();
    answers.push(resolve);
    return { id, state: await promise } as SessionOverview;
  });
  const states = async (ids: readonly string[]) =>
    [...(await readings.read(ids))].map(([id, session]) => `${id} ${session?.state}`);
  return { readings, states, answer: (index: number, state: SessionState) => answers[index]?.(state) };
}

it('drops a reading that is answered after a later one of the same session', async () => {
  const { states, answer } = heldReadings();
  const early = states(['a', 'b']);
  const late = states(['a']);
  answer(2, 'idle');
  expect(await late).toEqual(['a idle']);
  answer(0, 'compacting');
  answer(1, 'running');
  expect(await early).toEqual(['b running']);
});

it('takes each of several that are answered in order', async () => {
  const { states, answer } = heldReadings();
  const [early, late] = [states(['a']), states(['a'])];
  answer(0, 'compacting');
  expect(await early).toEqual(['a compacting']);
  answer(1, 'idle');
  expect(await late).toEqual(['a idle']);
});

it('drops a reading that was asked for before the list and is answered after it', async () => {
  const { readings, states, answer } = heldReadings();
  const early = states(['a']);
  const listed = readings.beforeList();
  const late = states(['b']);
  listed();
  answer(0, 'compacting');
  answer(1, 'running');
  expect(await early).toEqual([]);
  expect(await late).toEqual(['b running']);
});

it('says nothing of what could not be read, and says what is gone', async () => {
  const unread = new SessionReadings(async (id) => (id === 'gone' ? null : undefined));
  expect([...(await unread.read(['gone', 'lost']))]).toEqual([['gone', null]]);
});
