import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addInstruction, summarizeStanding, withoutStandingChange } from '#server/content/standing-changes';
import type { StandingInstructions } from '#server/core/content';

const none: StandingInstructions = { voice: '', glossary: [], rules: [] };
const rule = (text: string) => ({ kind: 'rule', text }) as const;
const term = (text: string, meaning: string) => ({ kind: 'term', text, meaning }) as const;

describe('addInstruction', () => {
  it('puts a new rule last', () => {
    expect(addInstruction({ ...none, rules: ['Never shout.'] }, rule(' Never use blue. '))).toEqual({
      next: { ...none, rules: ['Never shout.', 'Never use blue.'] },
      replaced: null,
    });
  });

  it.each(['never use blue', 'Never  use blue!', 'Please never use blue.', 'Do not use blue', 'Don’t use blue'])(
    'knows a rule that is there already: %s',
    (text) => expect(addInstruction({ ...none, rules: ['Never use blue.'] }, rule(text))).toBeNull(),
  );

  it.each(['Always use blue.', 'Use blue.'])('replaces the rule that it contradicts: %s', (text) => {
    const rules = ['Never shout.', 'Never use blue.', 'Never beg.'];
    expect(addInstruction({ ...none, rules }, rule(text))).toEqual({
      next: { ...none, rules: ['Never shout.', text, 'Never beg.'] },
      replaced: 'Never use blue.',
    });
  });

  it('takes "only" for another rule', () => {
    expect(addInstruction({ ...none, rules: ['Use blue.'] }, rule('Only use blue.'))?.next.rules).toHaveLength(2);
  });

  it('gives a word its new meaning, in its place', () => {
    const glossary = [{ term: 'Kiln', meaning: 'not oven' }];
    expect(addInstruction({ ...none, glossary }, term('kiln', 'Not oven.'))).toBeNull();
    expect(addInstruction({ ...none, glossary }, term('kiln', 'the place'))).toEqual({
      next: { ...none, glossary: [{ term: 'kiln', meaning: 'the place' }] },
      replaced: 'Kiln: not oven',
    });
  });

  it('adds to the voice, and leaves what was written there', () => {
    const voice = { kind: 'voice', text: 'Short sentences.' } as const;
    expect(addInstruction({ ...none, voice: 'Warm.' }, voice)?.next.voice).toBe('Warm.\nShort sentences.');
    expect(addInstruction({ ...none, voice: 'Warm. Short sentences.' }, voice)).toBeNull();
  });
});

describe('withoutStandingChange', () => {
  it('takes one rule out and leaves those that came after', () => {
    const [a, b, c] = ['Never a.', 'Never b.', 'Never c.'];
    const before = { ...none, rules: [a] };
    const after = { ...none, rules: [a, b] };
    expect(withoutStandingChange({ ...none, rules: [a, b, c], voice: 'Warm.' }, before, after)).toEqual({
      ...none,
      voice: 'Warm.',
      rules: [a, c],
    });
  });

  it.each([
    [['a', 'b', 'c'], [], ['d'], ['a', 'b', 'c', 'd']],
    [
      ['a', 'b', 'c'],
      ['a', 'c'],
      ['a', 'c', 'd'],
      ['a', 'b', 'c', 'd'],
    ],
    [
      ['a', 'b', 'c'],
      ['a', 'c'],
      ['d', 'c', 'a'],
      ['d', 'c', 'a', 'b'],
    ],
  ])('brings back what was removed to where it was: %j to %j, by now %j', (before, after, present, expected) => {
    const of = (rules: string[]) => ({ ...none, rules });
    expect(withoutStandingChange(of(present), of(before), of(after))).toEqual(of(expected));
  });

  it.each<[string, StandingInstructions, StandingInstructions, StandingInstructions]>([
    ['voice', { ...none, voice: 'C' }, { ...none, voice: 'A' }, { ...none, voice: 'B' }],
    ['rule', none, none, { ...none, rules: ['Never a.'] }],
    [
      'word',
      { ...none, glossary: [{ term: 'kiln', meaning: '3' }] },
      { ...none, glossary: [{ term: 'kiln', meaning: '1' }] },
      { ...none, glossary: [{ term: 'kiln', meaning: '2' }] },
    ],
  ])('is none where its %s was changed again', (_, present, before, after) => {
    expect(withoutStandingChange(present, before, after)).toBeNull();
  });

  it('restores exactly what was, where nothing came after', () => {
    const items = fc.uniqueArray(fc.constantFrom('Never a.', 'Never b.', 'Never c.', 'Never d.'));
    const state = fc.record({
      voice: fc.constantFrom('', 'A', 'B'),
      glossary: items.map((terms) => terms.map((text) => ({ term: text, meaning: 'x' }))),
      rules: items,
    });
    fc.assert(
      fc.property(state, state, (before, after) => {
        expect(withoutStandingChange(after, before, after)).toEqual(before);
      }),
    );
  });
});

describe('summarizeStanding', () => {
  it('names a single rule, else the parts', () => {
    const rules = ['Never a.'];
    expect(summarizeStanding(none, { ...none, rules })).toBe('Added the rule "Never a."');
    expect(summarizeStanding({ ...none, rules }, none)).toBe('Removed the rule "Never a."');
    expect(summarizeStanding(none, { ...none, rules, voice: 'Warm.' })).toBe(
      'Changed the standing instructions: voice, rules',
    );
    expect(summarizeStanding(none, none)).toBe('Left the standing instructions as they were');
  });
});
