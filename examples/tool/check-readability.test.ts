import { expect, it } from 'vitest';
import { checkReadability } from '#examples/tool/check-readability';
import { defineForModel } from '#server/tools/tool';
import { tools } from '#server/tools/index';
import { countTokens } from '#server/context/tokens';
import { finish, says, toolCall } from '#tests/support/scripted-model';
import { startScriptedChat } from '#tests/support/scripted-chat';

const LONG = `${'The kiln is warm and every bowl on this shelf was thrown by hand '.repeat(3)}today.`;

it('is offered to the model, which reads what it found', async () => {
  const call = toolCall('call_1', 'check_readability', '{"ref": "kilns"}');
  await using chat = await startScriptedChat(
    [[...call, finish('tool-calls')], says('One sentence is too long.')],
    {},
    {
      tools: [...tools, checkReadability],
    },
  );
  const { entry } = await chat.services.builtIn.content.create(
    {
      type: 'page',
      title: 'Kilns',
      sections: [
        { type: 'hero', fields: { heading: 'All about kilns' } },
        { type: 'text', fields: { body: `They are hot. ${LONG} They cool down.` } },
      ],
    },
    { actor: 'seed' },
  );

  await chat.say('Is the page about kilns easy to read?');

  expect(chat.requests[0]?.tools?.map(({ name }) => name)).toContain('check_readability');
  const result = (await chat.messages()).flatMap(({ parts }) => parts).find(({ type }) => type === 'tool-result');
  const found = {
    id: entry.id,
    title: 'Kilns',
    words: 52,
    minutes: 1,
    longSentences: [{ sectionId: entry.draft.sections[1]?.id, words: 43, sentence: LONG }],
  };
  expect(result).toMatchObject({ state: 'completed', content: { output: { type: 'json', value: found } } });
  expect(JSON.stringify(chat.requests[1]?.prompt.at(-1))).toContain('"words":43');
});

it('costs next to nothing in every request', () => {
  expect(countTokens(JSON.stringify(defineForModel(checkReadability)))).toBeLessThan(60);
});
