import { describe, expect, it } from 'vitest';
import { differs, draftOf, instructionsOf, rebasedDraft } from '#components/settings/standing-draft.ts';

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
});
