import fc from 'fast-check';
import type { UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { diffTurn } from '#server/conversation/events/diff-turn';
import { type ThroughlineUIMessage, toUIMessages } from '#server/conversation/step/ui-messages';
import { anyTurn, comparable, foldChunks, playTurn, type StoredMoment } from '#tests/support/arbitrary-turn';

const answerAt = ({ messages, compactions }: StoredMoment) =>
  messages.some(({ role, isSummary }) => role === 'assistant' && !isSummary)
    ? toUIMessages(messages, compactions).find(({ role }) => role === 'assistant')
    : undefined;

/** The chunks that are sent to a client that sees only these moments. */
function tell(answers: readonly (ThroughlineUIMessage | undefined)[]): UIMessageChunk[] {
  let emitted: ThroughlineUIMessage | null = null;
  return answers.flatMap((answer) => {
    if (!answer) return [];
    const news = diffTurn(emitted, answer);
    emitted = news.emitted;
    return news.chunks;
  });
}

type Part = ThroughlineUIMessage['parts'][number];
const withParts = (...parts: Part[]): ThroughlineUIMessage => ({ id: 'msg_1', role: 'assistant', parts });
const said = (text: string, state: 'streaming' | 'done'): Part => ({ type: 'text', text, state });

describe('the difference between two moments of an answer', () => {
  it('folds into the answer, for any moments in between', async () => {
    const scenario = anyTurn.chain((script) => {
      const moments = playTurn(script);
      return fc.tuple(fc.constant(moments), fc.subarray(moments.slice(0, -1)));
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ([moments, seen]) => {
        const last = moments.at(-1);
        const final = last && answerAt(last);
        const chunks = tell([...seen.map(answerAt), final]);
        expect(comparable(await foldChunks(chunks))).toEqual(comparable(final));
        expect(tell([...seen.map(answerAt), final, final])).toEqual(chunks);
      }),
    );
  });

  it('is nothing when nothing has changed, and every chunk is sent once', () => {
    fc.assert(
      fc.property(anyTurn, (script) => {
        const answers = playTurn(script).map(answerAt);
        const twice = answers.flatMap((answer) => [answer, answer]);
        expect(tell(twice)).toEqual(tell(answers));
        expect(tell(answers).filter(({ type }) => type === 'start')).toHaveLength(1);
      }),
    );
  });

  it('sends the input of a call while it grows, then the call', async () => {
    const call = { type: 'tool-create_content', toolCallId: 'c' } as const;
    const writing = (rawInput: string) => withParts({ ...call, state: 'input-streaming', input: undefined, rawInput });
    const done = withParts({ ...call, state: 'output-error', input: '{"title":"Pri', errorText: 'Not run.' });
    const chunks = tell([writing('{"ti'), writing('{"title":"Pri'), done]);
    expect(chunks.slice(1)).toEqual([
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'create_content' },
      { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"ti' },
      { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: 'tle":"Pri' },
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'create_content', input: '{"title":"Pri' },
      { type: 'tool-output-error', toolCallId: 'c', errorText: 'Not run.' },
    ]);
    expect(comparable(await foldChunks(chunks))).toEqual(comparable(done));
  });

  it('cannot revert sent text: text that was replaced stays', () => {
    const chunks = tell([withParts(said('Hello', 'streaming')), withParts(said('Help', 'done'))]);
    expect(chunks.map((chunk) => ('delta' in chunk ? chunk.delta : chunk.type))).toEqual([
      'start',
      'text-start',
      'Hello',
      'text-end',
    ]);
  });

  const call = { type: 'tool-delete_content' as const, toolCallId: 'c', input: { slug: 'a' } };
  const asked: Part = { ...call, state: 'approval-requested', approval: { id: 'prt_1' } };

  it.each<[string, Part]>([
    ['approved', { ...call, state: 'approval-responded', approval: { id: 'prt_1', approved: true, reason: 'Yes.' } }],
    ['done', { ...call, state: 'output-available', output: 'Gone.', approval: { id: 'prt_1', approved: true } }],
    ['failed', { ...call, state: 'output-error', errorText: 'No.', approval: { id: 'prt_1', approved: true } }],
    ['denied', { ...call, state: 'output-denied', approval: { id: 'prt_1', approved: false, reason: 'No.' } }],
  ])('reports a call that was requested for approval and is %s', async (_, decided) => {
    for (const seen of [[], [asked], [withParts({ ...call, state: 'input-available' }).parts[0], asked]]) {
      const moments = seen.flatMap((part) => (part ? [withParts(part)] : []));
      const chunks = tell([...moments, withParts(decided)]);
      expect(comparable(await foldChunks(chunks))).toEqual(comparable(withParts(decided)));
      expect(chunks.filter(({ type }) => type === 'tool-input-available')).toHaveLength(1);
    }
  });

  it('reports a compaction that continues under its id', async () => {
    const compaction = (phase: string): Part => ({ type: 'data-compaction', id: 'cmp_1', data: { phase } });
    const chunks = tell([
      withParts(compaction('start')),
      withParts(compaction('start')),
      withParts(compaction('failed')),
    ]);
    expect(chunks.slice(1)).toEqual([compaction('start'), compaction('failed')]);
    expect((await foldChunks(chunks))?.parts).toEqual([compaction('failed')]);
  });

  it('skips a part that was replaced by another kind, and continues after it', () => {
    const before = withParts(said('a', 'done'), { type: 'step-start' });
    const { chunks } = diffTurn(before, withParts({ type: 'step-start' }, { type: 'step-start' }, said('b', 'done')));
    expect(chunks.map(({ type }) => type)).toEqual(['text-start', 'text-delta', 'text-end']);
  });
});
