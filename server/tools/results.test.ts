import { describe, expect, it } from 'vitest';
import type { ChangeSet } from '#server/core/changes';
import { changeResult, notesResult } from '#server/tools/results';

describe('what a site made of a write', () => {
  it('is told to the model, and nothing where there is nothing', () => {
    const notes = ['WordPress gave it the slug "kiln-2": "kiln" is taken there.'];
    expect(notesResult({ notes })).toEqual({ siteNotes: notes });
    expect(notesResult({})).toEqual({});
    const change = { id: 'chg_bcdfgh', slug: null, notes } as unknown as ChangeSet;
    expect(changeResult(change)).toMatchObject({ changeId: 'chg_bcdfgh', siteNotes: notes });
  });
});
