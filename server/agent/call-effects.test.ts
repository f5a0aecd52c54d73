import { describe, expect, it } from 'vitest';
import { shortenEffect } from '#server/agent/call-effects';
import type { FieldChange } from '#server/core/changes';
import type { ToolEffect } from '#server/core/tool-effect';

const change = (before: FieldChange['before']): FieldChange => ({
  field: 'body',
  kind: 'changed',
  before,
  after: null,
});
const effect = (changes: readonly FieldChange[]): ToolEffect => ({
  summary: 'Changes it.',
  targets: Array.from({ length: 200 }, (_, id) => ({ type: 'page', id: `pag_${id}`, title: 'x', revision: 1 })),
  changes,
  references: [],
  warnings: [],
});

describe('shortenEffect', () => {
  it('leaves what is short as it is', () => {
    const short = effect([change('Words'), change([{ question: 'Q', answer: 'A' }])]);
    expect(shortenEffect(short)).toEqual(short);
  });

  it('cuts long values, also deep ones, and says what it left out, but keeps every target', () => {
    const long = 'word '.repeat(10_000);
    const shown = shortenEffect(effect([change(long), ...Array.from({ length: 40 }, () => change([long]))]));
    expect(shown.changes).toHaveLength(30);
    for (const { before } of shown.changes) {
      expect(before).toMatch(/^.{0,599}…$/s);
    }
    expect(shown.targets).toHaveLength(200);
    expect(shown.warnings).toEqual(['11 more changes are not listed.']);
    expect(JSON.stringify(shown).length).toBeLessThan(50_000);
  });
});
