import { describe, expect, it } from 'vitest';
import type { NewPart } from '#server/core/conversation/parts';
import { coalesceMessages, countFitting } from '#server/conversation/store/coalesce-messages';
import { text } from '#tests/support/turn-session';

const image = (url: string): NewPart => ({ type: 'file', content: { mediaType: 'image/png', url }, tokens: 100 });
const waiting = (...messages: NewPart[][]) =>
  messages.map((parts, index) => ({ id: `que_${index + 1}`, parts, createdAt: 10 * (index + 1) }));

describe('coalescing messages', () => {
  it('puts all files after one text, in order, and counts it', () => {
    const { parts } = coalesceMessages(
      waiting([text('A', 3), image('data:1'), text('a', 4)], [image('data:2'), text('B', 5)]),
    );
    expect(parts).toEqual([text('First: A\n\na\n\nAlso: B', 3 + 4 + 5 + 2 * 5), image('data:1'), image('data:2')]);
  });

  it('needs no number for a message without words', () => {
    expect(coalesceMessages(waiting([image('data:1')], [text('B', 1)])).parts).toEqual([text('B', 6), image('data:1')]);
    expect(coalesceMessages(waiting([image('data:1')], [image('data:2')])).parts).toEqual([
      image('data:1'),
      image('data:2'),
    ]);
  });
});

describe('counting how many messages fit', () => {
  const three = waiting([text('A', 10)], [text('B', 10), image('data:1')], [text('C', 10)]);

  it('counts texts, files and labels', () => {
    expect(countFitting(three, 145)).toBe(3);
    expect(countFitting(three, 144)).toBe(2);
    expect(countFitting(three, 130)).toBe(2);
    expect(countFitting(three, 129)).toBe(1);
  });

  it('leaves those for later that were written with another section chosen', () => {
    const chosen = (section: string): NewPart => ({
      type: 'situation',
      content: { text: '', preview: { path: '/', state: 'draft', section } },
    });
    const [one, other] = [chosen('sec_one'), chosen('sec_other')];
    expect(countFitting(waiting([text('A'), one], [text('B'), one], [text('C'), other], [text('D')]), 1_000)).toBe(2);
    expect(countFitting(waiting([text('A')], [text('B'), other]), 1_000)).toBe(1);
  });

  it('takes the first at any size, and zero of zero', () => {
    expect(countFitting(three, 0)).toBe(1);
    expect(countFitting([], 10)).toBe(0);
  });
});
