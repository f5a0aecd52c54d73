import { describe, expect, it } from 'vitest';
import { workingContext } from '#server/context/working-context';
import { call, storedMessages } from '#tests/support/arbitrary-history';

const calls = (...named: Parameters<typeof call>[]) =>
  storedMessages([{ role: 'assistant', parts: named.map((each) => call(...each)) }]);

describe('workingContext', () => {
  const replaced = calls(['a', 'publish_content', { id: 'pag_aaaaaa' }], ['b', 'get_content', { id: 'pag_bbbbbb' }]);

  it('keeps the tools that kept messages call, and names those that only compacted ones called', () => {
    const kept = calls(['c', 'get_content', { id: 'pos_cccccc' }]);
    expect(workingContext(kept, replaced, null)).toEqual({
      tools: ['get_content'],
      removedTools: ['publish_content'],
      focus: 'pos_cccccc',
    });
  });

  it('keeps the page in focus where the kept messages name none', () => {
    const previous = { tools: [], removedTools: [], focus: 'pag_zzzzzz' };
    expect(workingContext(calls(['c', 'get_settings']), replaced, previous).focus).toBe('pag_bbbbbb');
    expect(workingContext([], [], previous).focus).toBe('pag_zzzzzz');
    expect(workingContext([], [], null).focus).toBeNull();
  });
});
