import { expect, it } from 'vitest';
import { type AnswerEvent, answerStream } from '#server/completions/wire';

/** A stream whose events a test gives, read frame by frame. */
function open() {
  const queue: PromiseWithResolvers<AnswerEvent | Error | null>[] = [];
  const at = (index: number) => (queue[index] ??= Promise.withResolvers());
  let given = 0;
  let cancelled = 0;
  async function* events(): AsyncGenerator<AnswerEvent> {
    for (let index = 0; ; index += 1) {
      const event = await at(index).promise;
      if (event === null) return;
      if (event instanceof Error) throw event;
      yield event;
    }
  }
  const stream = answerStream({
    events: events(),
    chunksOf: (event) => (event.type === 'compacting' ? [] : [event]),
    errorBody: (error) => ({ error: (error as Error).message }),
    onCancel: () => (cancelled += 1),
    commentEveryMs: 5,
  });
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  return {
    give: (event: AnswerEvent | Error | null) => at(given++).resolve(event),
    /** Undefined at the end. */
    read: async () => {
      const { value } = await reader.read();
      return value && decoder.decode(value);
    },
    cancel: () => reader.cancel(),
    cancelled: () => cancelled,
  };
}

it('keeps a silent line open, and says so while it compacts', async () => {
  const { give, read } = open();
  expect(await read()).toBe(': keep-alive\n\n');
  give({ type: 'compacting' });
  let frame = await read();
  while (frame === ': keep-alive\n\n') frame = await read();
  expect(frame).toBe(': compacting\n\n');
  expect(await read()).toBe(': compacting\n\n');
  give({ type: 'text', text: 'So.' });
  while (frame === ': compacting\n\n') frame = await read();
  expect(frame).toBe('data: {"type":"text","text":"So."}\n\n');
  give(null);
  frame = await read();
  while (frame === ': keep-alive\n\n') frame = await read();
  expect(frame).toBe('data: [DONE]\n\n');
  expect(await read()).toBeUndefined();
});

it('ends with the failure, and without the word that all is done', async () => {
  const { give, read } = open();
  give({ type: 'text', text: 'So' });
  expect(await read()).toContain('"So"');
  give(new Error('broken'));
  let frame = await read();
  while (frame === ': keep-alive\n\n') frame = await read();
  expect(frame).toBe('data: {"error":"broken"}\n\n');
  expect(await read()).toBeUndefined();
});

it('hears that its client is gone, and a failure behind that harms nobody', async () => {
  const { give, read, cancel, cancelled } = open();
  expect(await read()).toBe(': keep-alive\n\n');
  await cancel();
  expect(cancelled()).toBe(1);
  give(new Error('nobody hears it'));
});
