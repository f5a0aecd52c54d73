import { expect, it } from 'vitest';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import { withWrittenArguments } from '#server/integrations/openai/written-arguments';

const called = (input: object) =>
  [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input }] },
  ] as unknown as ModelMessage[];
const inputOf = ([message]: readonly ModelMessage[]) => (message?.content[0] as { input?: unknown } | undefined)?.input;

it.each([
  ['with its own spaces', '{ "a": 1 }', { a: 1 }],
  [
    'with numbers that do not fit',
    '{"id":12345678901234567890,"x":1.0}',
    JSON.parse('{"id":12345678901234567890,"x":1.0}'),
  ],
])('puts arguments back as they were written: %s', (_, written, input) => {
  expect(inputOf(withWrittenArguments(called(input as object), new Map([['a', written]])))).toBe(written);
});

it.each([
  ['shortened since', '{"text":"long long"}', { text: 'long…' }],
  ['no JSON', '{"text":', { text: '' }],
])('leaves those that are %s', (_, written, input) => {
  expect(inputOf(withWrittenArguments(called(input), new Map([['a', written]])))).toEqual(input);
});
