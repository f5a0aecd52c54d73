import { expect, it } from 'vitest';
import { type ClientCall, type ClientEvent, type ClientOutcome, streamClientStep } from '#server/agent/client-step';
import { OutputWatch } from '#server/agent/call-model';
import {
  finish,
  hangingStep,
  scriptedModel,
  type ScriptedStep,
  textBlock,
  toolCall,
} from '#tests/support/scripted-model';

const PLENTY = 100_000;

/** One step of a model that says this, with room for so many tokens of it. */
async function run(step: ScriptedStep, room = PLENTY, more: Partial<ClientCall> = {}) {
  const { model, requests } = scriptedModel(step);
  const events: ClientEvent[] = [];
  const call = {
    model: { id: 'a/b', model },
    instructions: null,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }],
    tools: [{ name: 'f', parameters: { type: 'object', properties: {} } }],
    toolChoice: { type: 'auto' as const },
    sampling: {},
    extra: {},
    maxOutputTokens: 1_000,
    watch: new OutputWatch(room, 1),
    signal: new AbortController().signal,
    ...more,
  };
  const stream = streamClientStep(call);
  let outcome: ClientOutcome | null = null;
  for (let next = await stream.next(); ; next = await stream.next()) {
    if (next.done) {
      outcome = next.value;
      break;
    }
    events.push(next.value);
  }
  return { events, outcome, request: requests[0] };
}

const written = (events: readonly ClientEvent[]) =>
  events.map((event) => (event.type === 'arguments' ? event.text : '')).join('');

it('passes on what comes as it comes', async () => {
  const { events, outcome } = await run([
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'r' },
    ...textBlock('t', 'So ', 'it is.'),
    ...toolCall('c1', 'f', '{ "a": 1.0 }'),
    ...toolCall('c2', 'nobody_offered_this', '{"broken'),
    finish('tool-calls', { input: 9, output: 3 }),
  ]);
  expect(events).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'So ' },
    { type: 'text', text: 'it is.' },
    { type: 'call', index: 0, id: 'c1', name: 'f' },
    { type: 'arguments', index: 0, text: '{ "a": 1.0 }' },
    { type: 'call', index: 1, id: 'c2', name: 'nobody_offered_this' },
    { type: 'arguments', index: 1, text: '{"broken' },
  ]);
  expect(outcome).toMatchObject({ finishReason: 'tool-calls', wasCut: false, error: undefined });
  expect(outcome?.usage).toMatchObject({ inputTokens: 9, outputTokens: 3 });
});

it('tells a call once that its provider gives only whole', async () => {
  const { events } = await run([
    { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: '{"a":1}' },
    finish('tool-calls'),
  ]);
  expect(events).toEqual([
    { type: 'call', index: 0, id: 'c1', name: 'f' },
    { type: 'arguments', index: 0, text: '{"a":1}' },
  ]);
});

it('ends an answer that leaves no room, and the call of the provider with it', async () => {
  const { step } = hangingStep(...textBlock('t', ...Array.from({ length: 100 }, (_, line) => `Line ${line}. `)));
  const { events, outcome, request } = await run(step, 60);
  expect(outcome).toMatchObject({ wasCut: true, error: undefined });
  expect(events.length).toBeLessThan(60);
  expect(request?.abortSignal?.aborted).toBe(true);
});

it('never ends it in the middle of a call', async () => {
  const long = JSON.stringify({ text: 'word '.repeat(500) });
  const { events, outcome } = await run([...toolCall('c1', 'f', long), ...textBlock('t', 'Behind it.'), finish()], 60);
  expect(written(events)).toBe(long);
  expect(outcome.wasCut).toBe(true);
  expect(events.some(({ type }) => type === 'text')).toBe(false);
});

it('hands the client its own choice of a tool, and an answer that does not obey', async () => {
  const choice = { type: 'tool', toolName: 'f' } as const;
  const { events, outcome, request } = await run([...textBlock('t', 'No.'), finish()], PLENTY, { toolChoice: choice });
  expect(request?.toolChoice).toEqual(choice);
  expect(events).toEqual([{ type: 'text', text: 'No.' }]);
  expect(outcome.error).toBeUndefined();
});

it.each([
  ['fails', new Error('broken')],
  ['says nothing and reports nothing', [finish('stop', null)]],
] as const)('tells of a step that %s', async (_, step) => {
  const { outcome } = await run(step);
  expect(outcome.error).toBeInstanceOf(Error);
});
