import { afterEach, describe, expect, it } from 'vitest';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';
import { chunk, type ModelServer, type ServerAnswer, startModelServer } from '#tests/support/model-server';

/* Small models repeat a passage without end. Over /v1 as in the chat, the answer is ended after eight times. */

const PASSAGE = 'The kiln is warm and the bowls are ready for glazing. ';

let open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const each of open.toReversed()) await each[Symbol.asyncDispose]();
  open = [];
});

/** Our /v1 before a server whose answers are these events. */
async function start(events: string): Promise<{ ours: CompletionsServer; model: ModelServer }> {
  const answer = (): ServerAnswer => ({ sse: `${events}${chunk({}, 'stop')}data: [DONE]\n\n` });
  const model = await startModelServer({ answer });
  open.push(model);
  const ours = await startCompletionsServer({
    respond: () => ({ text: '' }),
    env: { OPENAI_COMPATIBLE_BASE_URL: model.baseUrl, CONTEXT_WINDOW: '64000' },
  });
  open.push(ours);
  return { ours, model };
}

/** A text in pieces of five characters, as a model writes it. */
function pieces(text: string, field = 'content'): string {
  const parts = text.match(/.{1,5}/gsu) ?? [];
  return parts.map((part) => chunk({ [field]: part })).join('');
}

const request = { model: 'local/m', messages: [{ role: 'user' as const, content: 'Go on.' }] };

describe('a passage that a local model repeats over /v1', () => {
  it.each([
    ['text', 'content'],
    ['thoughts', 'reasoning_content'],
  ])('is kept once in the %s of a whole answer, which is not continued', async (_where, field) => {
    const { ours, model } = await start(pieces(`Look:${PASSAGE.repeat(40)}`, field));
    const { choices } = await ours.openai.chat.completions.create(request);
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { [field]: `Look:${PASSAGE}` } });
    expect(model.bodies).toHaveLength(1);
  });

  it('ends a streamed answer', async () => {
    const { ours, model } = await start(pieces(PASSAGE.repeat(40)));
    let text = '';
    let reason: string | null = null;
    for await (const { choices } of await ours.openai.chat.completions.create({ ...request, stream: true })) {
      text += choices[0]?.delta.content ?? '';
      reason = choices[0]?.finish_reason ?? reason;
    }
    expect(text.length).toBeLessThan(PASSAGE.length * 9);
    expect(reason).toBe('stop');
    expect(model.bodies).toHaveLength(1);
  });
});

it('leaves a passage in the answer of a hosted model', async () => {
  const text = PASSAGE.repeat(40);
  const ours = await startCompletionsServer({ respond: () => ({ text }) });
  open.push(ours);
  const { choices } = await ours.openai.chat.completions.create({ ...request, model: 'openai/gpt-4o' });
  expect(choices[0]?.message.content).toBe(text);
});
