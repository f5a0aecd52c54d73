import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import type { UIMessageChunk } from 'ai';
import { expect, it } from 'vitest';
import { RemoteTurns } from '#server/conversation/events/remote-turns';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { comparable, foldChunks } from '#tests/support/arbitrary-turn';
import { isDeep } from '#tests/support/deep';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { finish, type ScriptedStep, textBlock, toolCall } from '#tests/support/scripted-model';

const RUNS = isDeep ? 100 : 6;

type Saying = { readonly type: 'text' | 'reasoning'; readonly pieces: readonly string[] };
type Calling = { readonly type: 'call'; readonly tool: string; readonly input: string };
interface Step {
  readonly parts: readonly (Saying | Calling)[];
  /** Written by the user while the step streams. */
  readonly steering: readonly string[];
}

const saying: fc.Arbitrary<Saying> = fc.record({
  type: fc.constantFrom('text' as const, 'reasoning' as const),
  pieces: fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('😀', '\uD83D', 'Ü', '\n')), { minLength: 1 }),
});
const calling: fc.Arbitrary<Calling> = fc.constantFrom(
  { type: 'call', tool: 'list_content', input: '{"type":"page"}' },
  { type: 'call', tool: 'get_content', input: '{"type":"page","slug":"nowhere"}' },
  { type: 'call', tool: 'no_such_tool', input: '{}' },
  { type: 'call', tool: 'list_content', input: '{"type":' },
);
const working: fc.Arbitrary<Step> = fc.record({
  parts: fc
    .tuple(fc.array(saying, { maxLength: 2 }), fc.array(calling, { minLength: 1, maxLength: 3 }))
    .map((parts) => parts.flat()),
  steering: fc.array(
    fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
    { maxLength: 3 },
  ),
});
const closing: fc.Arbitrary<Step> = fc
  .array(saying, { minLength: 1, maxLength: 3 })
  .map((parts) => ({ parts, steering: [] }));
const turn = fc.tuple(fc.array(working, { maxLength: 3 }), closing).map(([steps, last]) => [...steps, last]);

function streamOf({ parts }: Step, step: number): LanguageModelV4StreamPart[] {
  const streamed = parts.flatMap((part, index): LanguageModelV4StreamPart[] => {
    const id = `${step}-${index}`;
    if (part.type === 'call') return toolCall(`call_${id}`, part.tool, part.input);
    if (part.type === 'text') return textBlock(id, ...part.pieces);
    return [
      { type: 'reasoning-start', id },
      ...part.pieces.map((delta) => ({ type: 'reasoning-delta' as const, id, delta })),
      { type: 'reasoning-end', id },
    ];
  });
  const calls = parts.some(({ type }) => type === 'call');
  return [...streamed, finish(calls ? 'tool-calls' : 'stop')];
}

async function readAll(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  const reader = stream.getReader();
  for (let result = await reader.read(); !result.done; result = await reader.read()) chunks.push(result.value);
  return chunks;
}

it('a turn folds into the same message for sender, followers, other processes and reloads', async () => {
  await fc.assert(
    fc.asyncProperty(turn, async (steps) => {
      let steer: (text: string) => Promise<unknown> = () => Promise.resolve();
      const script = steps.map((step, index): ScriptedStep => async (write) => {
        for (const text of step.steering) await steer(text);
        for (const part of streamOf(step, index)) write(part);
      });
      const chat = await startScriptedChat(script);
      try {
        const { services, session } = chat;
        const { turns, messages, compactions } = services;
        steer = (text) =>
          services.chat.enqueue({
            session,
            texts: [text],
            modelId: null,
            scopes: scopesOfRole.admin,
            clientRequestId: null,
          });
        const outcome = await chat.send('Go');
        if (outcome.kind !== 'started') throw new Error('The message was queued.');
        const running = await turns.running(session.id);
        if (!running) throw new Error('No turn runs.');
        const remote = new RemoteTurns({
          turns,
          messages,
          compactions,
          turnLogs: null,
          closing: services.closing,
          pollMs: 1,
        });
        const elsewhere = readAll(remote.streamOf(running).follow());
        const here = await services.chat.follow(session.id);
        const sent = await foldChunks(await readAll(outcome.stream));
        await services.chat.idle();
        const [, answer, ...rest] = await services.transcript(session.id);
        expect(rest).toEqual([]);
        expect(comparable(sent)).toEqual(comparable(answer));
        expect(comparable(await foldChunks(here ? await readAll(here) : []))).toEqual(comparable(answer));
        expect(comparable(await foldChunks(await elsewhere))).toEqual(comparable(answer));
      } finally {
        await chat[Symbol.asyncDispose]();
      }
    }),
    { numRuns: RUNS },
  );
});
