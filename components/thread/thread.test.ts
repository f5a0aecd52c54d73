import { describe, expect, it } from 'vitest';
import { markedPieces } from '#components/thread/thread-search';
import { isTimeToLeave, knotState, knotTitle } from '#components/thread/knot-words';
import { countStanding, pointOf } from '#components/thread/use-thread';
import { rangeOf } from '#components/thread/use-window';
import { threadStrings } from '#components/thread/words';
import type { Knot, KnotChange } from '#server/core/thread';
import { changedEntries } from '#components/thread/thread-sheet';

const change = (id: string, rest: Partial<KnotChange> = {}): KnotChange => ({
  id,
  targetType: 'page',
  targetId: 'pag_1',
  slug: 'home',
  title: 'Home',
  action: 'update',
  summary: `Changed ${id}`,
  undoneBy: null,
  isTakenAlong: false,
  createdAt: 1,
  ...rest,
});
const knot = (changes: readonly KnotChange[], rest: Partial<Knot> = {}): Knot => ({
  id: 'trn_1',
  kind: 'answer',
  at: 1_000,
  turnId: 'trn_1',
  messageId: 'msg_1',
  words: 'Make it warm',
  who: { actor: 'assistant' },
  changes,
  ...rest,
});
const gone = { undoneBy: 'chg_9' };

describe('a knot', () => {
  it('is undone when all of it is, by an undo or by what was brought back', () => {
    expect(knotState(knot([change('a'), change('b')]))).toBe('standing');
    expect(knotState(knot([change('a', gone), change('b')]))).toBe('partly');
    expect(knotState(knot([change('a', gone), change('b', { isTakenAlong: true })]))).toBe('undone');
    expect(knotState(knot([], { kind: 'summary' }))).toBe('standing');
  });

  it('shows the site after its last change, and a summary at none', () => {
    expect(pointOf(knot([change('a'), change('b')]))).toBe('b');
    expect(pointOf(knot([], { kind: 'summary' }))).toBeNull();
  });

  it('is called by its request, or by whose hand it was', () => {
    expect(knotTitle(knot([change('a')]))).toBe('Make it warm');
    expect(knotTitle(knot([change('a')], { words: null }))).toBe('Changed a');
    expect(knotTitle(knot([change('a')], { kind: 'hand', who: { actor: 'user', userName: 'Ada' } }))).toBe(
      threadStrings.byHand('Ada'),
    );
  });
});

it('counts what stands, and the pages that it concerns', () => {
  const knots = [
    knot([change('a'), change('b', gone), change('c', { action: 'undo' })]),
    knot([
      change('d', { targetId: 'pag_2', isTakenAlong: true }),
      change('e', { targetId: 'menu', targetType: 'navigation' }),
    ]),
  ];
  expect(countStanding(knots)).toBe(2);
  expect([...changedEntries(knots)]).toEqual(['pag_1']);
});

it('offers the end of the day some time after the last change only', () => {
  const minutes = (count: number) => 1_000 + count * 60_000;
  expect(isTimeToLeave([knot([change('a')])], minutes(20))).toBe(false);
  expect(isTimeToLeave([knot([change('a')])], minutes(40))).toBe(true);
  expect(isTimeToLeave([knot([], { kind: 'summary' })], minutes(40))).toBe(false);
  expect(isTimeToLeave([], minutes(40))).toBe(false);
});

describe('the rows of a long list', () => {
  it('are drawn as far as they can be seen, and a few around', () => {
    expect(rangeOf(0, 520, 26, 2_000)).toEqual({ start: 0, end: 28 });
    expect(rangeOf(26_000, 520, 26, 2_000)).toEqual({ start: 992, end: 1_028 });
    expect(rangeOf(51_480, 520, 26, 2_000)).toEqual({ start: 1_972, end: 2_000 });
    expect(rangeOf(0, 520, 26, 3)).toEqual({ start: 0, end: 3 });
    expect(rangeOf(9_999, 520, 26, 0)).toEqual({ start: 0, end: 0 });
  });
});

it('marks words of a text that begin as those of the query do, whatever their case and accents', () => {
  const found = (text: string, query: string) =>
    markedPieces(text, query).flatMap(({ text: piece, isFound }) => (isFound ? [piece] : []));
  expect(found('The Kilns cool; a kiln-fired cup', 'kiln')).toEqual(['Kilns', 'kiln']);
  expect(found('Crème brûlée', 'creme brul')).toEqual(['Crème', 'brûlée']);
  expect(found('Nothing here', '.*')).toEqual([]);
  expect(
    markedPieces('a kiln', 'kiln')
      .map(({ text }) => text)
      .join(''),
  ).toBe('a kiln');
});
