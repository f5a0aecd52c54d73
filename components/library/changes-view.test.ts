import { expect, it } from 'vitest';
import { changesViewQuery, parseChangesView } from '#components/library/changes-view.ts';

it('comes back from an address as it went', () => {
  const view = { actor: 'api', targetType: 'standing-instructions', sessionId: 'ses_1', targetId: undefined } as const;
  expect(parseChangesView(new URLSearchParams(changesViewQuery(view)))).toEqual(view);
  expect(changesViewQuery({})).toBe('');
});

it('does not believe an address everything', () => {
  expect(parseChangesView(new URLSearchParams('who=nobody&what=constructor'))).toEqual({});
});
