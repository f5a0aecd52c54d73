import { describe, expect, it } from 'vitest';
import { diffRows, diffText, fieldTitle, foldUnchanged, valueText } from '#components/changes/field-changes';
import fc from 'fast-check';

describe('diffRows', () => {
  it('is one line for a text', () => {
    expect(diffRows({ kind: 'changed', before: 'Old', after: 'New' })).toEqual([
      { label: null, kind: 'changed', before: 'Old', after: 'New' },
    ]);
  });

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

  it('says that an item was moved', () => {
    const menu = ['Home', 'Shop', 'Journal'].map((label) => ({ label, href: `/${label.toLowerCase()}` }));
    expect(diffRows({ kind: 'changed', before: menu, after: [menu[2]!, menu[0]!, menu[1]!] })).toEqual([
      { label: 'Journal', kind: 'moved', before: 'Position 3', after: 'Position 1' },
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

  it('goes into menus below menus', () => {
    const before = [{ label: 'Shop', href: '/shop', children: [{ label: 'Mugs', href: '/mugs' }] }];
    const after = [{ label: 'Shop', href: '/shop', children: [{ label: 'Cups', href: '/mugs' }] }];
    expect(diffRows({ kind: 'changed', before, after })).toEqual([
      { label: 'Item 1 · Children · Item 1 · Label', kind: 'changed', before: 'Mugs', after: 'Cups' },
    ]);
  });

  it('shows all of what is new', () => {
    expect(diffRows({ kind: 'added', before: null, after: { heading: 'Hello', items: ['a', 'b'] } })).toEqual([
      { label: null, kind: 'added', before: '', after: 'Heading: Hello\nItems:\n  • a\n  • b' },
    ]);
  });
});

it('never shows JSON', () => {
  expect(valueText({ items: [{ question: 'Q', answer: 'A' }], isOpen: true, none: null })).toBe(
    'Items:\n  • Question: Q\n    Answer: A\nIs open: yes',
  );
});

it('turns names of fields into headings', () => {
  expect(fieldTitle('seo.description')).toBe('SEO description');
  expect(fieldTitle('faq section › items › Do you ship? › answer')).toBe('FAQ › Items › Do you ship? › Answer');
  expect(fieldTitle('hero section › buttonLabel')).toBe('Opening › Words on the button');
  expect(fieldTitle('slug')).toBe('Address');
  expect(fieldTitle('excerpt')).toBe('Short description');
  expect(fieldTitle('accentColor')).toBe('Accent colour');
  expect(fieldTitle('homeSlug')).toBe('Home page');
});

const text = (pieces: readonly { readonly kind: string; readonly text: string }[], without: string) =>
  pieces
    .filter(({ kind }) => kind !== without)
    .map((piece) => piece.text)
    .join('');

describe('diffText', () => {
  it('names the words that were replaced', () => {
    expect(diffText('Open from nine to five', 'Open from ten to five')).toEqual([
      { kind: 'same', text: 'Open from ' },
      { kind: 'removed', text: 'nine' },
      { kind: 'added', text: 'ten' },
      { kind: 'same', text: ' to five' },
    ]);
  });

  it('does not tear neighbouring replaced words apart', () => {
    expect(diffText('We sell the old brown mugs here', 'We sell the new white mugs here')).toEqual([
      { kind: 'same', text: 'We sell the ' },
      { kind: 'removed', text: 'old brown' },
      { kind: 'added', text: 'new white' },
      { kind: 'same', text: ' mugs here' },
    ]);
  });

  it('shows texts that have next to nothing in common one after the other', () => {
    expect(diffText('Glazes, kilns and clay.', 'Book your visit today!')).toEqual([
      { kind: 'removed', text: 'Glazes, kilns and clay.' },
      { kind: 'added', text: 'Book your visit today!' },
    ]);
  });

  it('leaves paragraphs that stayed out of it', () => {
    const before = 'First.\n\nSecond one here.\n\nThird.';
    expect(diffText(before, 'First.\n\nThird.')).toEqual([
      { kind: 'same', text: 'First.\n\n' },
      { kind: 'removed', text: 'Second one here.\n\n' },
      { kind: 'same', text: 'Third.' },
    ]);
  });

  it('says added or removed where there is nothing on the other side', () => {
    expect(diffText('', 'New')).toEqual([{ kind: 'added', text: 'New' }]);
    expect(diffText('Old', '')).toEqual([{ kind: 'removed', text: 'Old' }]);
    expect(diffText('', '')).toEqual([]);
    expect(diffText('Same', 'Same')).toEqual([{ kind: 'same', text: 'Same' }]);
  });

  it('takes a long text that was replaced as a whole in its stride', () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `a${index}`).join(' ');
    const after = Array.from({ length: 20_000 }, (_, index) => `b${index}`).join(' ');
    expect(diffText(before, after)).toEqual([
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ]);
  });

  it('loses no character of either text', () => {
    const word = fc.constantFrom('kiln', 'clay', 'a', ' ', '  ', '\n', '\n\n', '.', 'été', '陶器', '👩‍🚀', '');
    const texts = fc.array(word, { maxLength: 40 }).map((words) => words.join(''));
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const pieces = diffText(before, after);
        expect(text(pieces, 'added')).toBe(before);
        expect(text(pieces, 'removed')).toBe(after);
        expect(pieces.every((piece, index) => piece.text !== '' && piece.kind !== pieces[index + 1]?.kind)).toBe(true);
      }),
    );
  });
});

describe('foldUnchanged', () => {
  const long = Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ');

  it('keeps what is next to a change and folds the rest', () => {
    const shown = foldUnchanged([
      { kind: 'same', text: `${long} ` },
      { kind: 'added', text: 'new' },
      { kind: 'same', text: ` ${long}` },
    ]);
    expect(shown.map(({ kind }) => kind)).toEqual(['folded', 'same', 'added', 'same', 'folded']);
    expect(shown.map((piece) => piece.text).join('')).toBe(`${long} new ${long}`);
    expect(shown[1]?.text).toMatch(/ word99 $/);
  });

  it('folds nothing short and nothing that did not change', () => {
    const pieces = [
      { kind: 'same', text: 'short ' },
      { kind: 'added', text: 'new' },
    ] as const;
    expect(foldUnchanged(pieces)).toEqual(pieces);
    expect(foldUnchanged([{ kind: 'same', text: long }])).toEqual([{ kind: 'same', text: long }]);
  });
});
