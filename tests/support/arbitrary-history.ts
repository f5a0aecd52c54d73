import fc from 'fast-check';
import type { Message } from '#server/core/conversation/messages';
import type { NewPart, Part } from '#server/core/conversation/parts';
import { countPartTokens } from '#server/context/part-tokens';

/** Stored messages as they would come from the database, for tests of the pure engine. */
export function storedMessages(
  drafts: readonly (Pick<Message, 'role'> &
    Partial<Pick<Message, 'modelId' | 'turnId' | 'status' | 'finishReason' | 'error'>> & {
      readonly parts: readonly NewPart[];
    })[],
): Message[] {
  return drafts.map(({ role, parts, ...facts }, seq) => ({
    id: `msg_${seq}`,
    sessionId: 'ses_test',
    seq,
    role,
    status: 'complete',
    isSummary: false,
    parentId: null,
    turnId: null,
    modelId: null,
    finishReason: null,
    error: null,
    errorMessage: null,
    usage: null,
    metadata: null,
    supersededBy: null,
    createdAt: 1_000 + seq,
    ...facts,
    parts: parts.map((part, order) => storedPart(part, `prt_${seq}_${order}`, `msg_${seq}`, order)),
  }));
}

function storedPart(part: NewPart, id: string, messageId: string, order: number): Part {
  const tokens = part.tokens ?? tokensOf(part);
  const base = {
    id,
    messageId,
    sessionId: 'ses_test',
    order,
    tokens,
    originalTokens: null,
    compactedAt: null,
    excerptChars: null,
    createdAt: 1,
  };
  return { ...base, state: 'completed', ...part, tokens };
}

const resultTokens = new Map<string, number>();

/** Properties make the same few results thousands of times, and counting them took most of their time. */
function tokensOf(part: NewPart): number {
  if (part.type !== 'tool-result') return countPartTokens(part);
  const key = JSON.stringify(part.content);
  const tokens = resultTokens.get(key) ?? countPartTokens(part);
  resultTokens.set(key, tokens);
  return tokens;
}

export const text = (value: string): NewPart => ({ type: 'text', content: { text: value } });
export const call = (toolCallId: string, toolName = 'get_content', input: Record<string, string> = {}): NewPart => ({
  type: 'tool-call',
  content: { toolCallId, toolName, input },
});
export const result = (toolCallId: string, value: string, toolName = 'get_content'): NewPart => ({
  type: 'tool-result',
  content: { toolCallId, toolName, output: { type: 'text', value } },
});

const words = fc.lorem({ maxCount: 40 });
/** What says nothing: some clients and models send it. */
const blank = fc.constantFrom('', ' ', '\n\n', '\u00a0\t');
const anyWords = fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: blank });
const callId = fc.integer({ min: 0, max: 30 }).map((n) => `call_${n}`);
const size = fc.constantFrom(5, 50, 400, 3_000);

/** Environment context sent with the words; empty before its turn has begun. */
const situation = anyWords.map((value): NewPart => ({ type: 'situation', content: { text: value } }));

const userDraft = fc.record({
  role: fc.constant('user' as const),
  parts: fc.array(fc.oneof({ weight: 4, arbitrary: anyWords.map(text) }, { weight: 1, arbitrary: situation }), {
    maxLength: 2,
  }),
});
const assistantDraft = fc.record({
  role: fc.constant('assistant' as const),
  parts: fc.array(
    fc.oneof(
      anyWords.map(text),
      callId.map((id) => call(id)),
    ),
    { maxLength: 4 },
  ),
});
const toolDraft = fc.record({
  role: fc.constant('tool' as const),
  parts: fc.array(
    fc.tuple(callId, size).map(([id, length]) => result(id, 'output '.repeat(length))),
    { maxLength: 4 },
  ),
});

/**
 * Any history at all: parallel calls, missing, doubled and orphaned results, reused ids, empty messages, big outputs,
 * starting with anything.
 */
export const anyHistory: fc.Arbitrary<Message[]> = fc
  .array(fc.oneof(userDraft, assistantDraft, toolDraft), { maxLength: 60 })
  .map(storedMessages);

/** A well-formed editing session: turns of one request and some steps, each call answered. */
export const editingHistory: fc.Arbitrary<Message[]> = fc
  .array(fc.record({ request: words, steps: fc.array(size, { maxLength: 5 }) }), { minLength: 1, maxLength: 15 })
  .map((turns) => {
    let calls = 0;
    const drafts = turns.flatMap(({ request, steps }, turn) => [
      { role: 'user' as const, parts: [text(`${turn}: ${request}`)] },
      ...steps.flatMap((length) => {
        calls += 1;
        const id = `call_${calls}`;
        const output = result(id, 'output '.repeat(length));
        return [
          { role: 'assistant' as const, parts: [call(id)] },
          { role: 'tool' as const, parts: [output] },
        ];
      }),
      { role: 'assistant' as const, parts: [text(`Done with ${turn}.`)] },
    ]);
    return storedMessages(drafts);
  });
