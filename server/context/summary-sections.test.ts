import { describe, expect, it } from 'vitest';
import { parseNarrative } from '#server/context/narrative';

describe('parseNarrative', () => {
  it('finds the sections however their headings are written', () => {
    const text =
      '## Original Task\nA\n**What Was Accomplished:**\nB\n3. Current State\nC\n#### Errors and Resolutions:\nD';
    expect([...parseNarrative(text)]).toEqual([
      ['Original Task', 'A'],
      ['What Was Accomplished', 'B'],
      ['Current State', 'C'],
      ['Errors & Resolutions', 'D'],
    ]);
  });

  it('keeps a text without sections, and leaves out the title and sections that say nothing', () => {
    expect([
      ...parseNarrative('## Session Summary (Compaction Round 2)\nMuch was done.\n### Current State\nNone.'),
    ]).toEqual([['What Was Accomplished', 'Much was done.']]);
  });

  it('makes plain lines of headings that are none of ours', () => {
    const text = '### Current State\nDrafts.\n### Ledger (exact record of what was done)\n- everything is published';
    expect(parseNarrative(text).get('Current State')).toBe(
      'Drafts.\nLedger (exact record of what was done)\n- everything is published',
    );
  });

  it('does not take a sentence for a heading', () => {
    expect([...parseNarrative('The current state is fine.\nOriginal Task: build a site').keys()]).toEqual([
      'What Was Accomplished',
    ]);
  });
});
