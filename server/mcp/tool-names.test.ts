import { describe, expect, it } from 'vitest';
import { modelNames } from '#server/mcp/mcp-tool';

const named = (...names: string[]) => Object.fromEntries(modelNames('srv', names));

describe('modelNames', () => {
  it('puts the server in front and keeps what every provider takes', () => {
    expect(named('get-sum', 'list.all things', 'ärger')).toEqual({
      'get-sum': 'srv__get-sum',
      'list.all things': 'srv__list_all_things',
      ärger: 'srv___rger',
    });
  });

  it('keeps names apart that would be the same, each always in the same way', () => {
    const both = named('a b', 'a.b', 'c');
    expect(new Set(Object.values(both)).size).toBe(3);
    expect(both).toMatchObject({ 'a b': expect.stringMatching(/^srv__a_b_[0-9a-f]{6}$/), c: 'srv__c' });
    expect(named('c', 'a.b', 'a b')).toEqual(both);
  });

  it('cuts long names and keeps those apart that begin alike', () => {
    const [one, two] = [`${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`];
    const cut = Object.values(named(one, two));
    expect(cut.map(({ length }) => length)).toEqual([64, 64]);
    expect(cut[0]).not.toBe(cut[1]);
  });
});
