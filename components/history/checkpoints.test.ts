import { describe, expect, it } from 'vitest';
import { translator } from '#components/i18n.ts';
import { markedPieces } from '#components/history/marked-text';
import { isTimeToLeave, checkpointState, checkpointTitle } from '#components/history/checkpoint-words.ts';
import type { Checkpoint, CheckpointChange } from '#server/core/conversation/history';

const t = translator('history');

const change = (id: string, rest: Partial<CheckpointChange> = {}): CheckpointChange => ({
  id,
  targetType: 'page',
  targetId: 'pag_1',
  slug: 'home',
  title: 'Home',
  action: 'update',
  summary: `Changed ${id}`,
  summaryMessage: null,
  undoneBy: null,
  isTakenAlong: false,
  createdAt: 1,
  ...rest,
});
const checkpoint = (changes: readonly CheckpointChange[], rest: Partial<Checkpoint> = {}): Checkpoint => ({
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

describe('a checkpoint', () => {
  it('is undone when all of it is, by an undo or by what was brought back', () => {
    expect(checkpointState(checkpoint([change('a'), change('b')]))).toBe('standing');
    expect(checkpointState(checkpoint([change('a', gone), change('b')]))).toBe('partly');
    expect(checkpointState(checkpoint([change('a', gone), change('b', { isTakenAlong: true })]))).toBe('undone');
    expect(checkpointState(checkpoint([], { kind: 'summary' }))).toBe('standing');
  });

  it('is named by its request, or by the person', () => {
    expect(checkpointTitle(checkpoint([change('a')]))).toBe('Make it warm');
    expect(checkpointTitle(checkpoint([change('a')], { words: null }))).toBe('Changed a');
    expect(checkpointTitle(checkpoint([change('a')], { kind: 'hand', who: { actor: 'user', userName: 'Ada' } }))).toBe(
      t('byHand', { who: 'Ada' }),
    );
  });
});

it('offers the end of the day some time after the last change only', () => {
  const minutes = (count: number) => 1_000 + count * 60_000;
  expect(isTimeToLeave([checkpoint([change('a')])], minutes(20))).toBe(false);
  expect(isTimeToLeave([checkpoint([change('a')])], minutes(40))).toBe(true);
  expect(isTimeToLeave([checkpoint([], { kind: 'summary' })], minutes(40))).toBe(false);
  expect(isTimeToLeave([], minutes(40))).toBe(false);
});

it('marks words that start like those of the query, ignoring case and accents', () => {
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
