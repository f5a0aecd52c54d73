import fc from 'fast-check';
import type { JsonValue } from '#server/core/json';
import type { NewPart } from '#server/core/conversation/parts';
import type { ToolOutput } from '#server/core/conversation/part-types/tool-output';
import { anyCharacter } from '#tests/support/any-character';

/** Any text, half surrogate pairs and NUL included. */
const anyText = fc.string({ unit: anyCharacter });

/** JSON that comes back from the store as it went in: no -0 and no `__proto__` key, which no JSON text brings. */
const anyJson = fc
  .jsonValue({ stringUnit: anyCharacter })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

const toolOutput: fc.Arbitrary<ToolOutput> = fc.oneof(
  fc.record({ type: fc.constantFrom('text' as const, 'error-text' as const), value: anyText }),
  fc.record({ type: fc.constantFrom('json' as const, 'error-json' as const), value: anyJson }),
  fc.record({ type: fc.constant('execution-denied' as const), reason: anyText }),
  fc.record({
    type: fc.constant('content' as const),
    value: fc.array(fc.record({ type: fc.constant('text'), text: anyText })),
  }),
);

const content: fc.Arbitrary<Pick<NewPart, 'type' | 'content'>> = fc.oneof(
  fc.record({
    type: fc.constantFrom('text' as const, 'reasoning' as const),
    content: fc.record({ text: anyText }),
  }),
  fc.record({
    type: fc.constant('tool-call' as const),
    content: fc.record({ toolCallId: anyText, toolName: anyText, input: anyJson }),
  }),
  fc.record({
    type: fc.constant('tool-result' as const),
    content: fc.record({ toolCallId: anyText, toolName: anyText, output: toolOutput, truncated: fc.boolean() }),
  }),
  fc.record({ type: fc.constant('file' as const), content: fc.record({ mediaType: anyText, url: anyText }) }),
  fc.record({
    type: fc.constant('situation' as const),
    content: fc.record({ text: anyText, facts: fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), anyText) }),
  }),
  fc.record({ type: fc.constant('selection' as const), content: fc.record({ text: anyText, source: anyText }) }),
  fc.record({ type: fc.constant('step-start' as const), content: fc.constant({}) }),
);

/** Parts of every type that a client or model can bring, with hostile text in them. */
export const anyNewPart: fc.Arbitrary<NewPart> = fc
  .tuple(content, fc.constantFrom('pending', 'running', 'completed', 'error'), fc.nat())
  .map(([part, state, tokens]) => ({ ...part, state, tokens }) as NewPart);
