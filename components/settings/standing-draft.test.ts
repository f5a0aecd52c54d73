import { describe, expect, it } from 'vitest';
import { ApiError } from '#components/api/api-error.ts';
import {
  differs,
  draftOf,
  instructionsOf,
  moved,
  rebasedDraft,
  standingProblems,
} from '#components/settings/standing-draft.ts';

const saved = {
  voice: 'Warm.',
  glossary: [{ term: 'slip', meaning: 'liquid clay' }],
  rules: ['Never shout.', 'Never beg.'],
};

describe('a draft of the standing instructions', () => {
  it('differs once something is written, not by an empty row or outer spaces', () => {
    const draft = draftOf(saved);
    expect(differs(draft, saved)).toBe(false);
    expect(differs({ ...draft, voice: ' Warm. ', rules: [...draft.rules, { key: 99, text: ' ' }] }, saved)).toBe(false);
    expect(differs({ ...draft, rules: draft.rules.toReversed() }, saved)).toBe(true);
    expect(instructionsOf({ ...draft, glossary: [{ key: 98, term: '', meaning: 'x' }] }).glossary).toHaveLength(1);
  });

  it('moves a row, never over the ends', () => {
    const { rules } = draftOf(saved);
    const [first, second] = rules;
    expect(moved(rules, second!.key, -1)).toEqual([second, first]);
    expect(moved(rules, first!.key, -1)).toBe(rules);
    expect(moved(rules, second!.key, 1)).toBe(rules);
  });

  it('keeps typed text while the rest is saved, and the rows of saved text', () => {
    const draft = draftOf(saved);
    const sent = { ...draft, voice: 'Warm and plain. ' };
    const stored = { ...saved, voice: 'Warm and plain.' };
    const writtenOn = { ...sent, rules: [...sent.rules, { key: 97, text: 'Say kiln' }] };
    expect(rebasedDraft(writtenOn, instructionsOf(sent), stored)).toBe(writtenOn);
    expect(rebasedDraft(draft, instructionsOf(sent), stored)).toBe(draft);
    const rowAdded = { ...sent, rules: [...sent.rules, { key: 97, text: '' }] };
    expect(rebasedDraft(rowAdded, instructionsOf(sent), stored)).toBe(rowAdded);
    expect(instructionsOf(rebasedDraft(sent, stored, saved))).toEqual(saved);
  });

  it('finds the field of what the server refused, empty rows not counted', () => {
    const draft = draftOf(saved);
    const rules = [{ key: 50, text: '' }, ...draft.rules];
    const issues = [
      { path: 'rules.1', message: 'stands there already' },
      { path: 'glossary.0.meaning', message: 'must not be empty' },
      { path: 'voice', message: 'takes 900 tokens' },
      { path: 'rules', message: 'must be at most 60' },
      { path: 'rules.7', message: 'is not there' },
    ];
    const error = new ApiError('invalid_input', 'No.', 400, { details: { issues } });
    expect(standingProblems(error, { ...draft, rules })).toEqual({
      [`rule-${draft.rules[1]!.key}`]: 'Stands there already.',
      [`meaning-${draft.glossary[0]!.key}`]: 'Must not be empty.',
      voice: 'Takes 900 tokens.',
    });
    expect(standingProblems(new Error('offline'), draft)).toEqual({});
  });
});
