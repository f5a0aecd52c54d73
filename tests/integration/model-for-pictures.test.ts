import { expect, it } from 'vitest';
import type { JsonValue } from '#server/core/json';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { pngImage } from '#tests/support/attached-files';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import { startOpenRouterChat } from '#tests/support/openrouter-chat';
import { foldTurn } from '#tests/support/scripted-chat';

/** Part of the English text of every refusal because of a budget. */
const BUDGET_USED_UP = 'so no paid model is asked';

const LOOKS = 'google/gemini-2.5-flash';

it('describes pictures for a text model, with separate costs within the budgets', async () => {
  const script: JsonValue[] = [];
  await using chat = await startOpenRouterChat(
    ({ body }): FakeResponse => {
      if (body.model === LOOKS) return { text: 'A kiln. Above it: “Hot!”', usage: { cost: 0.6 } };
      const input = script.shift();
      return input ? { toolCalls: [{ id: 'c1', name: 'look_at_picture', input }] } : { text: 'I have looked.' };
    },
    { env: { BUDGET_PERSON: '1', PICTURE_MODEL: LOOKS } },
  );
  const { services, session, provider } = chat;
  /** One turn; gives its requests as they went over the wire. */
  const turn = async (input: JsonValue, files: string[] = []) => {
    script.push(input);
    const from = provider.requests.length;
    const request = { texts: ['Look'], files, modelId: null, clientRequestId: null, scopes: scopesOfRole.admin };
    const outcome = await services.chat.send({ session, ...request });
    if (outcome.kind !== 'started') throw new Error('It waits.');
    const { errors } = await foldTurn(outcome.stream);
    const sent = provider.requests.slice(from).map(({ body }) => JSON.stringify(body));
    return { sent, models: provider.requests.slice(from).map(({ body }) => body.model), errors: errors.join() };
  };

  const attached = await services.attachments.keep(session.id, 'kiln.png', pngImage(80, 60));
  const first = await turn({ question: 'What is written on it?' }, [attached.id]);
  expect(first.models).toEqual(['openai/gpt-4o', LOOKS, 'openai/gpt-4o']);
  const [asking = '', look, after = ''] = first.sent;
  expect(asking).toContain('[Image attached: kiln.png, 80 x 60; this model cannot see images]');
  expect(look).toContain('What is written on it?');
  expect(look).toContain('data:image/png;base64,');
  expect(after).toContain('A kiln. Above it: “Hot!”');
  expect(asking + after).not.toContain('base64');

  // What it costs is on the bill of pictures, and reaches the budget in mid-turn: that ends between two steps.
  const wheel = await services.builtIn.content.assets.add(
    { data: pngImage(40, 30), filename: 'wheel.png' },
    { actor: 'user' },
  );
  const second = await turn({ picture: wheel.asset.id });
  expect(second.models).toEqual(['openai/gpt-4o', LOOKS]);
  expect(second.errors).toContain(BUDGET_USED_UP);
  const { rows } = await services.costs({ from: '2020-01-01', to: '2099-12-31', by: 'kind' });
  expect(rows.find(({ key }) => key === 'picture')).toMatchObject({ calls: 2, cost: 1.2 });

  // Without one, the conversation's own model is shown the pictures, and has no tool for them.
  await services.settings.update({ pictureModel: '__same__', personBudget: 0 });
  script.length = 0;
  const from = provider.requests.length;
  const outcome = await services.chat.send({
    session,
    texts: ['And you?'],
    modelId: null,
    clientRequestId: null,
    scopes: scopesOfRole.admin,
  });
  if (outcome.kind === 'started') await foldTurn(outcome.stream);
  const [own] = provider.requests.slice(from).map(({ body }) => JSON.stringify(body));
  expect(own).toContain('base64');
  expect(own).not.toContain('"name":"look_at_picture","description"');
});
