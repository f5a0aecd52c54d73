import { describe, expect, it } from 'vitest';
import { coalesceTexts } from '#server/core/engine-words';
import { standingInstructions } from '#server/context/user-words';
import { expectGrowthBelow, NEARLY_LINEAR } from '#tests/support/growth';

describe('standingInstructions', () => {
  it.each([
    'Always use British spelling.',
    'never use blue',
    'From now on, sign posts as Anna.',
    'Make it shorter.',
    'Please make the tone friendlier.',
    "Don't use stock photos.",
    'Do not publish anything before I have seen it!',
    "I don't like the red button.",
    'I’d rather have a serif.',
    'Stop adding emojis.',
    'Use "Ltd" instead of "Limited".',
    'No, not that one.',
    'Avoid exclamation marks.',
    'Could you please always add an excerpt?',
    'Headings must never end with a full stop.',
  ])('finds %s', (sentence) => {
    expect(standingInstructions(sentence)).toEqual([sentence]);
  });

  it.each([
    'Create a page called Pricing.',
    'Why do you always use blue?',
    'Should I never publish drafts?',
    'Never mind.',
    'It was always like that, thanks.',
    "I don't know.",
    'Set the tagline to "Always fresh, never frozen".',
    'List the pages',
  ])('passes over %s', (sentence) => {
    expect(standingInstructions(sentence)).toEqual([]);
  });

  it('cuts the sentence out of a longer message, word for word', () => {
    const message =
      'Hello! Add prices for e.g. mugs and bowls. Always write amounts like "12.50 Euro. Net.", never in cents. Then publish it. ' +
      'Set the footer to "Open daily." Never mention Sundays.';
    expect(standingInstructions(message)).toEqual([
      'Always write amounts like "12.50 Euro. Net.", never in cents.',
      'Never mention Sundays.',
    ]);
  });

  it('does not break at abbreviations, initials and numbers', () => {
    const message = 'Always credit Dr. J. Smith, Acme Ltd. and version 2.1. of the kiln, i.e. the big one. Thanks.';
    expect(standingInstructions(message)).toEqual([
      'Always credit Dr. J. Smith, Acme Ltd. and version 2.1. of the kiln, i.e. the big one.',
    ]);
  });

  it('reads lists item by item, and gives each item the line that makes it a rule', () => {
    const message =
      'From now on:\n- use British spelling\n- keep headings short. Really short.\n\n1. Add a page\n2. never use blue';
    expect(standingInstructions(message)).toEqual([
      'From now on: use British spelling',
      'From now on: keep headings short.',
      'From now on: Really short.',
      'never use blue',
    ]);
  });

  it('joins a sentence that runs over line ends', () => {
    expect(standingInstructions('Please always use\nthe informal form\nof address.\nAdd a page.')).toEqual([
      'Please always use the informal form of address.',
    ]);
  });

  it('takes nothing from code, quoted lines and announced content', () => {
    const message = [
      'Always use two columns.',
      '```js',
      'never(); // always call this',
      '```',
      '> Never again will I buy elsewhere.',
      'Add a post with this text:',
      '',
      'Never stop learning. Always bring an apron.',
      '',
      `Always remember the glaze. ${'It runs when it is too hot and cracks when it is too cold. '.repeat(4)}`,
      '',
      'Never publish it on a Sunday.',
    ].join('\n');
    expect(standingInstructions(message)).toEqual(['Always use two columns.', 'Never publish it on a Sunday.']);
  });

  it('takes a text without end for pasted content', () => {
    expect(standingInstructions(`always ${'and so on '.repeat(100)}`)).toEqual([]);
  });

  it.each([
    ['spaces', ' '.repeat(200_000)],
    ['letters', 'a'.repeat(200_000)],
    ['stops', '.'.repeat(200_000)],
    ['quotes', '"'.repeat(200_000)],
    ['open quotes', '“'.repeat(50_000)],
    ['colons', 'text: '.repeat(40_000)],
    ['dont', "don't ".repeat(30_000)],
    ['lines', '\n'.repeat(200_000)],
    ['spaced lines', '\n '.repeat(100_000)],
    ['words', 'always use x. '.repeat(10_000)],
    ['this', 'this '.repeat(40_000)],
  ])('is quick on hostile text: %s', (_name, text) => {
    const read = (each: string) => void standingInstructions(`${each}!`);
    expectGrowthBelow(NEARLY_LINEAR, text, read);
  });

  it('reads messages that became one as if each had come alone', () => {
    const pasted = `Create a page with this text:\n\n${'Always open. '.repeat(30)}`;
    const message = coalesceTexts([pasted, 'never use blue', 'List the pages']);
    expect(standingInstructions(message)).toEqual(['never use blue']);
  });
});
