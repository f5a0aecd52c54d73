import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { type ScriptedStep, finish, heldStep, textBlock, toolCall } from '#tests/support/scripted-model';
import { findSequenceProblems } from '#tests/support/validate-model-messages';
import { isDeep } from '#tests/support/deep';

const chunk = fc.oneof(fc.lorem({ maxCount: 4 }), fc.constant(''), fc.constant('\n\n* é 👍'));
const words = fc.tuple(fc.uuid(), fc.array(chunk, { maxLength: 4 }));
const text = words.map(([id, chunks]) => textBlock(id, ...chunks));
/** Some with a signature, which hidden reasoning has without any words. */
const reasoning = fc.tuple(words, fc.boolean()).map(([[id, chunks], isSigned]) => {
  const signature = isSigned ? { providerMetadata: { anthropic: { signature: 's' } } } : {};
  return [
    { type: 'reasoning-start' as const, id },
    ...chunks.map((delta) => ({ type: 'reasoning-delta' as const, id, delta })),
    { type: 'reasoning-end' as const, id, ...signature },
  ];
});
/** Calls that work, fail, fit no schema, are no JSON, or name no tool. */
const call = fc
  .tuple(
    fc.uuid(),
    fc.constantFrom(
      ['list_content', '{"type":"page"}'],
      ['get_content', '{"ref":"nowhere"}'],
      ['get_content', '{"nonsense":1}'],
      ['get_settings', '{"unfinished'],
      ['no_such_tool', '{}'],
    ),
  )
  .map(([id, [name, input]]) => toolCall(id, name, input));

const working = fc
  .tuple(fc.array(fc.oneof(text, reasoning)), fc.array(call, { minLength: 1, maxLength: 3 }))
  .map(([said, calls]): ScriptedStep => [...said.flat(), ...calls.flat(), finish('tool-calls')]);
const last = fc.array(fc.oneof(text, reasoning)).map((said): ScriptedStep => [...said.flat(), finish()]);
const broken = fc
  .tuple(fc.array(fc.oneof(text, call), { minLength: 1 }), fc.boolean())
  .map(([parts, isEarly]): ScriptedStep => {
    const said = [...textBlock('t', 'I will'), ...parts.flat(), ...textBlock('u', 'now').slice(0, 2)];
    return [...(isEarly ? said.slice(0, 2) : said), { type: 'error', error: new Error('The provider is gone.') }];
  });
const turn = fc
  .tuple(fc.array(working, { maxLength: 3 }), fc.oneof(last, broken, fc.constant(new Error('The provider is gone.'))))
  .map(([steps, end]) => [...steps, end]);

describe('a turn', () => {
  it('shows the same live as after a reload, and leaves a history that every provider takes', async () => {
    await fc.assert(
      fc.asyncProperty(turn, async (steps) => {
        await using chat = await startScriptedChat(steps);
        const live = await chat.say('Go');
        const stored = await chat.services.transcript(chat.session.id);

        const answer = stored[1];
        if (live.errors.length > 0 || live.message.parts.length > 0) {
          expect(answer && visibleParts(answer)).toEqual(visibleParts(live.message));
          expect(answer?.id).toBe(live.message.id);
          expect(answer?.metadata?.status).toBe(live.message.metadata?.status);
        }
        const { messages } = await chat.services.context.inspect(chat.session);
        expect(findSequenceProblems(messages)).toEqual([]);
      }),
      { numRuns: isDeep ? 200 : 8 },
    );
  });
});

describe('a transcript that is read between two steps', () => {
  it('says that the answer continues, and its final state once the turn has ended', async () => {
    const second = heldStep(...textBlock('t', 'Done.'));
    await using chat = await startScriptedChat([
      [...toolCall('c1', 'get_settings', '{}'), finish('tool-calls')],
      second.step,
    ]);
    const read = async () => (await chat.services.transcriptPage(chat.session.id, {})).items.at(-1);
    const said = chat.say('Go');
    await second.said;
    expect(await read()).toMatchObject({ role: 'assistant', metadata: { status: 'streaming' } });
    second.end();
    await said;
    await vi.waitFor(async () => expect(await chat.services.turns.running(chat.session.id)).toBeNull());
    expect(await read()).toMatchObject({ metadata: { status: 'complete' } });
  });
});
