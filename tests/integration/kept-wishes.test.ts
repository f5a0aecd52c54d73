import { expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '#server/core/json';
import { preferenceSchema, preferencesSchema } from '#server/core/conversation/preferences';
import { sessionSchema } from '#server/core/conversation/sessions';
import { useScriptedServer } from '#tests/support/scripted-server';
import { said } from '#tests/support/said';

/* A built server over HTTP, and a model that makes the call which the test has planned, then answers. */

let planned: { readonly name: string; readonly input: JsonValue } | null = null;
let answer = 'Die Tüte wiegt 12,5 kg.';
let calls = 0;

const { send } = useScriptedServer(() => {
  if (planned === null) return { text: answer };
  calls += 1;
  const call = { id: `call_${calls}`, ...planned };
  planned = null;
  return { text: '', toolCalls: [call] };
});

/** A new conversation, and what speaks in it: `say` gives the newest result of a tool. */
async function start() {
  const { id } = sessionSchema.parse((await send('POST', '/api/sessions', {})).json());
  const outputs = z.object({
    items: z.array(z.object({ parts: z.array(z.looseObject({ type: z.string(), content: z.looseObject({}) })) })),
  });
  const say = async (text: string, name?: string, input: JsonValue = {}) => {
    planned = name === undefined ? null : { name, input };
    expect((await send('POST', '/api/chat', { id, message: said(text) })).status).toBe(200);
    const { items } = outputs.parse((await send('GET', `/api/sessions/${id}/messages`)).json());
    const results = items.flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool-result');
    return (results.at(-1)?.content['output'] as { value?: unknown } | undefined)?.value;
  };
  const kept = async () => preferencesSchema.parse((await send('GET', `/api/sessions/${id}/wishes`)).json()).items;
  return { id, say, kept };
}

it('keeps a preference in German, refuses words not typed, and lets the user drop it and undo', async () => {
  const { id, say, kept } = await start();
  const quote = 'Bitte immer duzen, und Preise ohne „ab“.';
  await say(`Hallo! ${quote}`);
  const refused = await say('Und jetzt?', 'keep_in_mind', { quote: 'Bitte immer siezen.' });
  expect(refused).toMatch(/^Not kept: these are not words that the user typed/);
  expect(await say('Gut.', 'keep_in_mind', { quote: 'bitte immer duzen,  und Preise ohne "ab".' })).toEqual({
    kept: [{ id: expect.stringMatching(/^kep_/), quote }],
    count: 1,
  });
  const [wish] = await kept();
  expect(wish?.quote).toBe(quote);

  const path = `/api/sessions/${id}/wishes/${wish!.id}`;
  expect((await send('DELETE', path)).status).toBe(204);
  expect((await send('DELETE', path)).status).toBe(404);
  expect(await kept()).toEqual([]);
  expect(preferenceSchema.parse((await send('POST', `${path}/restore`)).json())).toEqual(wish);
  expect(await say('Doch nicht.', 'keep_in_mind', { letGo: wish!.id })).toEqual({
    letGo: { id: wish!.id, quote: wish!.quote },
    count: 0,
  });
  expect(await say('Was gilt?', 'keep_in_mind')).toEqual({ kept: [], count: 0 });
  const file = (await send('GET', `/api/sessions/${id}/export?format=json`)).json();
  expect(file).toMatchObject({ wishes: [] });
});

it('proposes a preference until the user confirms it, and takes the confirmation back', async () => {
  const { id, say, kept } = await start();
  const quote = 'Preise immer mit Cent.';
  await say(`Danke! ${quote} Und morgen um neun.`);
  await say('Weiter.', 'keep_in_mind', { quote });
  const [proposed] = await kept();
  expect(proposed).toMatchObject({ quote, confirmedAt: null });

  const path = `/api/sessions/${id}/wishes/${proposed!.id}/confirm`;
  expect((await send('DELETE', path)).status).toBe(404);
  expect(preferenceSchema.parse((await send('POST', path)).json()).confirmedAt).toEqual(expect.any(Number));
  expect((await send('POST', path)).status).toBe(404);
  expect(preferenceSchema.parse((await send('DELETE', path)).json())).toEqual(proposed);
});

it('finds the answer to a question, and reads on from it', async () => {
  const { say } = await start();
  await say('Was wiegt eine Tüte Glasur?');
  answer = 'Gern.';
  await say('Danke.');
  const found = await say('Wie war das mit der Glasur?', 'search_history', { query: 'Tüte Glasur' });
  expect(found).toMatchObject({
    hits: [
      [{ message: 1, role: 'user', text: 'Was wiegt eine Tüte Glasur?' }],
      [
        { message: 2, role: 'assistant', text: 'Die Tüte wiegt 12,5 kg.' },
        { message: 3, role: 'user', text: 'Danke.' },
      ],
    ],
  });
  expect(await say('Weiter.', 'search_history', { from: 1 })).toMatchObject({
    messages: [
      { message: 1, role: 'user' },
      { message: 2, role: 'assistant', text: 'Die Tüte wiegt 12,5 kg.' },
      { message: 3, role: 'user', text: 'Danke.' },
      { message: 4, role: 'assistant' },
      { message: 5, role: 'user' },
      { message: 6, 'tool-call': 'search_history' },
      { message: 7, 'tool-result': 'search_history' },
      { message: 8, role: 'assistant' },
    ],
  });
});
