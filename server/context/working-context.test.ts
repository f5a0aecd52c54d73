import { expect, it } from 'vitest';
import { workingContext } from '#server/context/working-context';
import { call, storedMessages } from '#tests/support/arbitrary-history';

const calls = (...named: Parameters<typeof call>[]) =>
  storedMessages([{ role: 'assistant', parts: named.map((each) => call(...each)) }]);

it('keeps the tools that kept messages call, and names those that only compacted ones called', () => {
  const replaced = calls(['a', 'publish_content'], ['b', 'get_content']);
  expect(workingContext(calls(['c', 'get_content']), replaced)).toEqual({
    tools: ['get_content'],
    removedTools: ['publish_content'],
  });
});
