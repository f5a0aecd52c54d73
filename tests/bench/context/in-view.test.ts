import type { ModelMessage } from 'ai';
import { expect, it } from 'vitest';
import { hiddenRequests, namesInView, wordsInView } from '#tests/bench/context/in-view';

const user = (content: string): ModelMessage => ({ role: 'user', content });
const called = (input: object): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'edit', input }],
});

it('finds the words of a message wherever they stand on the user’s side, however they are marked', () => {
  const history = [user('Mach die Überschrift kürzer.\n\nUnd nimm Blau – nie Rot.'), user('Publish it'), user('')];
  const summary = user('## Summary\n> 1. Mach die *Überschrift* kürzer. Und nimm Blau - nie Rot!\n- Publish something');
  expect(wordsInView(history, [summary])).toEqual({ kept: 1, of: 2 });
  expect(hiddenRequests(history, [summary])).toEqual(['Publish it']);
  expect(wordsInView(history, [{ role: 'assistant', content: 'You said: Publish it' }])).toEqual({ kept: 0, of: 2 });
});

it('wants what was said twice to stand there twice, and no part of a word', () => {
  const history = [user('yes'), user('yes')];
  expect(wordsInView(history, [user('yes yes')])).toEqual({ kept: 2, of: 2 });
  expect(wordsInView(history, [user('yes, yesterday')])).toEqual({ kept: 1, of: 2 });
});

it('takes an excerpt for the message only with both ends and the id of the whole', () => {
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`);
  const [first, last] = [words.slice(0, 25).join(' '), words.slice(-12).join(' ')];
  const history = [user(words.join(' '))];
  const kept = (text: string) => wordsInView(history, [user(text)]).kept;
  expect(kept(`${first} [... 99 characters left out, recall_output id: prt_1 ...] ${last}`)).toBe(1);
  expect(kept(`${first} [... 99 characters left out ...] ${last}`)).toBe(0);
  expect(kept(`${first} [... recall_output id: prt_1 ...]`)).toBe(0);
});

it('reads ids, paths, code words and single words from what the model wrote, and looks for them anywhere', () => {
  const history = [
    called({ path: 'src/a.ts', slug: 'about-us', note: 'Then call totalPrice of pag_k7m2p9, and 1,250.50.', times: 3 }),
    user('someOther name'),
  ];
  expect(namesInView(history, [])).toEqual({ kept: 0, of: 4 });
  const result: ModelMessage = {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c',
        toolName: 'edit',
        output: { type: 'text', value: 'src/a.ts, about-us-2' },
      },
    ],
  };
  expect(namesInView(history, [result, user('totalPrices pag_k7m2p9')])).toEqual({ kept: 2, of: 4 });
});
