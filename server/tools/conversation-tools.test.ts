import { expect, it } from 'vitest';
import { countTokens } from '#server/context/tokens';
import type { JsonValue } from '#server/core/json';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { finish, says, type ScriptedStep, toolCall } from '#tests/support/scripted-model';

interface Line {
  readonly message: number;
  readonly id?: string;
  readonly role?: string;
  readonly in?: string;
  readonly text: string;
}
interface Found {
  readonly hits: readonly (readonly Line[])[];
}
interface Page {
  readonly messages: readonly { readonly message: number; readonly text: string }[];
  readonly next?: number;
  readonly note?: string;
}

const searches = (input: object): ScriptedStep => [
  ...toolCall(`call_${JSON.stringify(input)}`, 'search_history', JSON.stringify(input)),
  finish('tool-calls'),
];

/** A conversation of these exchanges, and what the model then gets for its searches. */
async function searchIn(said: readonly (readonly [string, string])[], ask: string, inputs: readonly object[]) {
  await using chat = await startScriptedChat([...inputs.map(searches), says('Done.')]);
  const parts = (words: string) => [{ type: 'text' as const, content: { text: words } }];
  await chat.services.messages.appendMany(
    chat.session.id,
    said.flatMap(([request, answer]) => [
      { role: 'user' as const, parts: parts(request) },
      { role: 'assistant' as const, parts: parts(answer) },
    ]),
  );
  await chat.say(ask);
  const stored = (await chat.messages()).flatMap((message) => message.parts);
  const results = stored.filter((part) => part.type === 'tool-result').map(({ content }) => content.output);
  return results.map((output) => ('value' in output ? output.value : null)) as unknown as JsonValue[];
}

it('shows a found question with its answer, and leaves out the running request', async () => {
  const [result] = await searchIn(
    [
      ['What does a bag of glaze weigh?', 'It is 12.5 kg, with the paper.'],
      ['And the kiln?', 'That one is 340 kg.'],
    ],
    'What was it that you said about the glaze, what does a bag weigh?',
    [{ query: 'bag of glaze weigh' }],
  );
  expect(result).toEqual({
    hits: [
      [
        { message: 1, role: 'user', text: 'What does a bag of glaze weigh?' },
        { message: 2, role: 'assistant', text: 'It is 12.5 kg, with the paper.' },
      ],
    ],
  });
});

it('shows the messages before and after each hit, each message once', async () => {
  const [result] = await searchIn(
    [
      ['Good morning.', 'Good morning!'],
      ['The glaze is celadon now.', 'Noted.'],
      ['The other glaze is tenmoku.', 'Noted, too.'],
      ['And the shelf?', 'It is made of oak.'],
    ],
    'Which glazes?',
    [{ query: 'glaze' }],
  );
  const { hits } = result as unknown as Found;
  expect(hits.map((lines) => lines.map(({ message }) => message))).toEqual([
    [4, 5, 6],
    [2, 3],
  ]);
});

it('shows the text around a match in a long message, with the id of the message', async () => {
  const long = `The glaze is ${'very '.repeat(400)}blue.`;
  const [result] = await searchIn([[long, 'Blue, then.']], 'And now?', [{ query: 'blue' }]);
  const { hits } = result as unknown as Found;
  expect(hits.flat()).toContainEqual({
    message: 1,
    id: expect.stringMatching(/^prt_/),
    role: 'user',
    text: expect.stringMatching(/^….*blue\.$/),
  });
});

it('stays within its tokens, and shows every hit before what surrounds any', async () => {
  const said = Array.from(
    { length: 12 },
    (_, day) => [`Glaze of day ${day + 1}. ${'Clay and water. '.repeat(60)}`, 'Water and clay. '.repeat(60)] as const,
  );
  const [result] = await searchIn(said, 'And now?', [{ query: 'glaze' }]);
  const { hits } = result as unknown as Found;
  expect(hits.flat().filter(({ text }) => text.startsWith('Glaze'))).not.toHaveLength(0);
  expect(countTokens(JSON.stringify(hits))).toBeLessThan(2_800);
});

it('reads as many messages as requested, in few tokens, with ids of cut messages only', async () => {
  const long = 'Lorem ipsum dolor sit amet. '.repeat(200);
  const said = Array.from({ length: 20 }, (_, day) => [`Day ${day + 1}`, day === 0 ? long : 'Noted.'] as const);
  const [few, page] = (await searchIn(said, 'Read on.', [{ from: 1, limit: 3 }, { from: 1 }])) as unknown as Page[];
  expect(few).toMatchObject({ next: 4 });
  expect(few?.messages.map((line) => Object.keys(line))).toEqual([
    ['message', 'role', 'text'],
    ['message', 'id', 'role', 'text'],
    ['message', 'role', 'text'],
  ]);
  expect(countTokens(JSON.stringify(page))).toBeLessThan(2_000);
});

it('can be read on from what was found, page by page, to the request that is worked on', async () => {
  const long = 'Lorem ipsum dolor sit amet. '.repeat(200);
  const said = Array.from({ length: 9 }, (_, day) => [`Note of day ${day + 1}`, `Day ${day + 1}: ${long}`] as const);
  const [found, first] = (await searchIn(said, 'Read on.', [{ query: 'day 2' }, { from: 3 }])) as unknown as [
    Found,
    Page,
  ];
  expect(found.hits.flat()).toContainEqual({ message: 3, role: 'user', text: 'Note of day 2' });
  expect(first.messages.map(({ message }) => message)).toEqual([3, 4, 5, 6, 7, 8, 9]);
  expect(first.messages[1]?.text).toMatch(/^Day 2: .*…$/);
  expect(first.next).toBe(10);
  const pages = (await searchIn(said, 'Read on.', [{ from: 10 }, { from: 16 }, { from: 99 }])) as unknown as Page[];
  expect(pages.map(({ messages, next }) => [messages[0]?.message, messages.at(-1)?.message, next])).toEqual([
    [10, 15, 16],
    [16, 18, undefined],
    [undefined, undefined, undefined],
  ]);
  expect(pages[1]?.messages.at(-1)?.text).toMatch(/^Day 9: /);
  expect(pages[1]?.note).toBe('Then comes the request that you work on.');
});

it('names what was found in results of tools, and each exchange once', async () => {
  const [, result] = await searchIn([['What is there?', 'Nothing of note.']], 'Look again', [
    { query: 'nothing', limit: 1 },
    { query: 'note' },
    {},
  ]);
  expect((result as unknown as Found).hits).toHaveLength(1);
});
