import { expect, it } from 'vitest';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { finish, says, type ScriptedStep, toolCall } from '#tests/support/scripted-model';
import type { ScriptedChat } from '#tests/support/scripted-chat';

/** A step in which the model calls keep_in_mind. */
const keeps = (input: object): ScriptedStep => [
  ...toolCall(`call_${JSON.stringify(input).length}`, 'keep_in_mind', JSON.stringify(input)),
  finish('tool-calls'),
];

/** Outputs of keep_in_mind so far. */
async function outputs(chat: ScriptedChat): Promise<unknown[]> {
  const parts = (await chat.messages()).flatMap((message) => message.parts);
  return parts.flatMap((part) =>
    part.type === 'tool-result' && 'value' in part.content.output ? [part.content.output.value] : [],
  );
}

const quotes = async ({ services, session }: ScriptedChat) =>
  (await services.wishes.keptWishes(session.id)).map(({ quote }) => quote);

/** A preference that has room in a window of 8,000 tokens, but not twice. */
const long = (word: string) => `Always remember ${`${word} `.repeat(240).trim()}.`;

it('keeps the user’s spelling if the quote differs in capitals or quotation marks', async () => {
  await using chat = await startScriptedChat([
    keeps({ quote: 'Never say "gift card" here' }),
    keeps({ quote: 'Never use the words gift card.' }),
    says('Kept.'),
  ]);
  await chat.say("Please never say 'gift card'  here. And be brief.");
  expect(await quotes(chat)).toEqual(["never say 'gift card' here"]);
  const [kept, refused] = await outputs(chat);
  expect(kept).toMatchObject({ kept: [{ quote: "never say 'gift card' here" }], count: 1 });
  expect(refused).toMatch(/^Not kept: .* Nearest: "Please never say 'gift card' {2}here\."$/);
});

it('drops a preference by its words, and lists the kept ones if it is unknown', async () => {
  await using chat = await startScriptedChat([
    keeps({ quote: 'prices without pence' }),
    keeps({ letGo: 'no dogs' }),
    keeps({ letGo: 'Prices without pence' }),
    says('Gone.'),
  ]);
  await chat.say('I want prices without pence.');
  const [, refused, gone] = await outputs(chat);
  expect(refused).toMatch(/^There is no preference "no dogs"\. Kept: kep_\w+ "prices without pence"\.$/);
  expect(gone).toMatchObject({ letGo: { quote: 'prices without pence' }, count: 0 });
});

it('is full at a twentieth of the window: the user then chooses which one to drop', async () => {
  let id = '';
  const script: ScriptedStep[] = [
    keeps({ quote: long('rye') }),
    keeps({ quote: long('oat') }),
    says('Which one goes?'),
    async (write) => {
      for (const part of keeps({ quote: long('oat'), letGo: id }) as never[]) write(part);
      return Promise.resolve();
    },
    says('Done.'),
  ];
  await using chat = await startScriptedChat(script, { CONTEXT_WINDOW: '8000' });
  await chat.say(`${long('rye')} ${long('oat')}`);
  id = (await chat.services.wishes.keptWishes(chat.session.id))[0]?.id ?? '';
  expect((await outputs(chat))[1]).toMatch(
    new RegExp(`^Not kept: wishes may take \\d+ tokens.*Ask the user which one goes.*${id}`),
  );
  await chat.say('The rye.');
  expect(await quotes(chat)).toEqual([long('oat')]);
});

it('imports preferences only while there is room beside those that are kept', async () => {
  await using chat = await startScriptedChat([], { CONTEXT_WINDOW: '8000' });
  const { context } = chat.services;
  const messages = [long('rye'), long('oat')].map((content) => ({ role: 'user', content }));
  const both = { quotes: [long('rye'), long('oat')] };
  expect(await context.import(chat.session, messages, both)).toMatchObject({ wishes: 1, wishesLeft: 1 });
  expect(await context.import(chat.session, messages, both)).toMatchObject({ wishes: 0, wishesLeft: 1 });
  expect(await quotes(chat)).toEqual([long('rye')]);
});
