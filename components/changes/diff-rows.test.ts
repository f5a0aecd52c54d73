import { describe, expect, it } from 'vitest';
import { diffRows, valueText } from '#components/changes/diff-rows.ts';

describe('diffRows', () => {
  it('names only what differs in an object', () => {
    const before = { label: 'Buy', href: '/shop', isOpen: false };
    const after = { label: 'Buy now', href: '/shop', isOpen: true };
    expect(diffRows({ kind: 'changed', before, after })).toEqual([
      { label: 'Label', kind: 'changed', before: 'Buy', after: 'Buy now' },
      { label: 'Is open', kind: 'changed', before: 'no', after: 'yes' },
    ]);
  });

  it('finds the item of a list that was put in, taken out or changed', () => {
    const [one, two, three] = ['Do you ship?', 'Can I return it?', 'Is it safe?'].map((question) => ({
      question,
      answer: 'Yes.',
    }));
    const changed = { question: 'Can I return it?', answer: 'Within a month.' };
    expect(diffRows({ kind: 'changed', before: [one!, two!], after: [one!, changed, three!] })).toEqual([
      { label: 'Item 2 · Answer', kind: 'changed', before: 'Yes.', after: 'Within a month.' },
      { label: 'Item 3', kind: 'added', before: '', after: 'Question: Is it safe?\nAnswer: Yes.' },
    ]);
    expect(diffRows({ kind: 'changed', before: [one!, two!], after: [two!] })).toEqual([
      { label: 'Item 1', kind: 'removed', before: 'Question: Do you ship?\nAnswer: Yes.', after: '' },
    ]);
  });

  it('tells sections and lists that were moved by their places', () => {
    expect(diffRows({ kind: 'moved', before: 1, after: 3 })).toEqual([
      { label: null, kind: 'moved', before: 'Position 1', after: 'Position 3' },
    ]);
    expect(diffRows({ kind: 'moved', before: ['Home', 'Shop'], after: ['Shop', 'Home'] })).toMatchObject([
      { label: 'Home', kind: 'moved', before: 'Position 1', after: 'Position 2' },
    ]);
  });

  it('compares nested menus', () => {
    const before = [{ label: 'Shop', href: '/shop', children: [{ label: 'Mugs', href: '/mugs' }] }];
    const after = [{ label: 'Shop', href: '/shop', children: [{ label: 'Cups', href: '/mugs' }] }];
    expect(diffRows({ kind: 'changed', before, after })).toEqual([
      { label: 'Item 1 · Children · Item 1 · Label', kind: 'changed', before: 'Mugs', after: 'Cups' },
    ]);
  });
});

it('never shows JSON', () => {
  expect(valueText({ items: [{ question: 'Q', answer: 'A' }], isOpen: true, none: null })).toBe(
    'Items:\n  • Question: Q\n    Answer: A\nIs open: yes',
  );
});
