import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withTokens } from '#server/context/part-tokens';
import type { NewMessage } from '#server/core/conversation/messages';
import type { NewPart } from '#server/core/conversation/parts';
import { answerText, say } from '#tests/support/chat-client';
import { isDeep } from '#tests/support/deep';
import {
  callsTools,
  type SentBody,
  type SentMessage,
  type ServerAnswer,
  saysText,
  startServerChat,
} from '#tests/support/model-server';

/* A model server whose models have chat templates with rules of their own, by the name of the model. */

const refuse = (message: string, status = 400): ServerAnswer => ({
  status,
  json: { error: { code: status, message } },
});
const jinja = (said: string) =>
  refuse(
    `Unable to generate parser for this template. Automatic parser generation failed: \n...\nError: Jinja Exception: ${said}`,
  );

interface TemplateRule {
  readonly refusal: ServerAnswer;
  readonly refuses: (messages: readonly SentMessage[]) => boolean;
}

const isTyped = ({ content }: SentMessage) => typeof content !== 'string' && content !== null;

/** The rules of real templates, with the words in which llama.cpp and Ollama hand their errors on. */
const RULES: Readonly<Record<string, TemplateRule>> = {
  // Mistral: user and assistant in turn; calls and their results are not counted.
  alternation: {
    refusal: jinja(
      'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
    ),
    refuses: (messages) =>
      messages
        .filter(({ role, tool_calls: calls }) => role === 'user' || (role === 'assistant' && !calls))
        .some(({ role }, index) => (role === 'user') !== (index % 2 === 0)),
  },
  // Llama 3.
  single: {
    refusal: jinja('This model only supports single tool-calls at once!'),
    refuses: (messages) => messages.some(({ tool_calls: calls = [] }) => calls.length > 1),
  },
  // Mistral Nemo.
  ids: {
    refusal: jinja('Tool call IDs should be alphanumeric strings with length 9!'),
    refuses: (messages) =>
      messages.some(({ tool_calls: calls = [], tool_call_id: id = 'abcdefgh1' }) =>
        [...calls.map((call) => call.id), id].some((each) => !/^[a-zA-Z0-9]{9}$/.test(each)),
      ),
  },
  // Gemma.
  system: {
    refusal: jinja('System role not supported'),
    refuses: (messages) => messages.some(({ role }) => role === 'system'),
  },
  // Llama 2 and Gemma: other roles are an error of the template.
  tools: {
    refusal: jinja('Only user and assistant roles are supported!'),
    refuses: (messages) => messages.some(({ role, tool_calls: calls }) => role === 'tool' || calls !== undefined),
  },
  // llama-cpp-python with the template of the model file, where a part of a text is a list.
  typed: {
    refusal: refuse('can only concatenate str (not "list") to str', 500),
    refuses: (messages) => messages.some(isTyped),
  },
  // LM Studio of some versions.
  content: {
    refusal: refuse("Invalid 'content': 'content' field must be a string or an array of objects."),
    refuses: (messages) => messages.some(({ content }) => content === null),
  },
};
const NAMES = Object.keys(RULES);

/** Every set of the six rules that concern templates, and some with the refusal of `null`. */
const SETS = Array.from({ length: 64 }, (_, mask) => NAMES.slice(0, 6).filter((__, bit) => mask & (1 << bit)));

const modelOf = (rules: readonly string[]) => (rules.length === 0 ? 'plain' : rules.join('-'));

function refusalOf({ model, messages }: SentBody): ServerAnswer | null {
  const rule = model.split('-').find((name) => RULES[name]?.refuses(messages));
  return rule === undefined ? null : RULES[rule]!.refusal;
}

const textOf = ({ content }: SentMessage) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '(picture)' }) => text).join('\n');

/** Calls two tools when it is asked to look, says what it was asked otherwise. */
function answer(body: SentBody): ServerAnswer {
  const refusal = refusalOf(body);
  if (refusal) return refusal;
  const last = body.messages.at(-1)!;
  const hasResults = last.role === 'tool' || /Result of the tool/.test(textOf(last));
  if (!hasResults && textOf(last).includes('Look')) {
    return callsTools(['list_content', { type: 'page' }], ['list_content', { type: 'post' }]);
  }
  return saysText(hasResults ? 'There are pages and posts.' : 'All right.');
}

const models = ['plain', ...SETS.map(modelOf)];
/** Its list tells which models see pictures (LM Studio's own interface). */
const others = {
  '/api/v0/models': {
    data: [...new Set(models)].map((id) => ({
      id,
      type: 'vlm',
      state: 'loaded',
      loaded_context_length: 32_000,
      max_context_length: 32_000,
    })),
  },
};

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const part = (made: NewPart) => withTokens(made);
const picture: NewMessage = {
  role: 'user',
  parts: [
    part({ type: 'text', content: { text: 'My kiln:' } }),
    part({
      type: 'file',
      content: { mediaType: 'image/png', filename: 'kiln.png', url: `data:image/png;base64,${PICTURE}` },
    }),
  ],
};

async function start() {
  const chat = await startServerChat({ answer, others }, { model: 'local/plain' });
  await chat.services.models.refresh(true);
  return chat;
}
type Chat = Awaited<ReturnType<typeof start>>;

const use = (chat: Chat, sessionId: string, model: string) =>
  chat.services.sessions.update(sessionId, { modelId: `local/${model}` });

describe('a conversation with two calls in one step, a picture, a compaction and a change of model', () => {
  // A sixteenth of them here, all in `npm run test:deep`; "continues after any history" chooses at random.
  it('continues with every combination of 64 rules of templates', async () => {
    await using chat = await start();
    const { services } = chat;
    const sets = [...SETS, ...SETS.filter((_, index) => index % 9 === 0).map((set) => [...set, 'content'])];
    for (const rules of sets.filter((_, index) => isDeep || index % 16 === 3)) {
      const { id } = await services.sessions.create({ ownerId: 'own_local', modelId: 'local/plain' });
      await say(services, id, 'Look at the site.');
      await use(chat, id, modelOf(rules));
      const before = chat.steps().length;
      expect([rules, answerText(await say(services, id, 'Thank you.'))]).toEqual([rules, 'All right.']);
      // Each refused form is tried once.
      expect(chat.steps().length - before).toBeLessThanOrEqual(rules.length + 3);
      await services.messages.appendMany(id, [picture]);
      expect([rules, answerText(await say(services, id, 'What is it?'))]).toEqual([rules, 'All right.']);
      expect([rules, answerText(await say(services, id, 'Look again.'))]).toEqual([
        rules,
        'There are pages and posts.',
      ]);
      await services.context.compact(await services.sessions.get(id));
      expect([rules, answerText(await say(services, id, 'And now?'))]).toEqual([rules, 'All right.']);
      // What was learned holds.
      const learned = chat.steps().length;
      await say(services, id, 'One more.');
      expect([rules, chat.steps().length - learned]).toEqual([rules, 1]);
      await use(chat, id, 'plain');
      expect(answerText(await say(services, id, 'Goodbye.'))).toBe('All right.');
    }
  });

  it('sends texts as one string and loses none of them in any form', async () => {
    await using chat = await start();
    const { services } = chat;
    const { id } = await services.sessions.create({ ownerId: 'own_local', modelId: 'local/plain' });
    const parts = ['One', 'Two'].map((text) => part({ type: 'text', content: { text } }));
    await services.messages.appendMany(id, [{ role: 'user', parts }]);
    await say(services, id, 'Look at the site.');
    for (const model of ['alternation-single-ids-system-tools-typed', 'plain']) {
      await use(chat, id, model);
      await say(services, id, 'Thank you.');
      const { messages } = chat.steps().at(-1)!;
      expect(messages.filter(isTyped)).toEqual([]);
      const sent = messages.map(textOf).join('\n');
      for (const said of ['One\n\nTwo', 'Look at the site.', 'There are pages and posts.', 'Thank you.'])
        expect(sent).toContain(said);
      expect(JSON.stringify(messages).match(/"?type\\*":\\*"(?:page|post)\\*"/g)?.length).toBeGreaterThanOrEqual(2);
    }
  });

  it('continues after any history', async () => {
    await using chat = await start();
    const { services } = chat;
    const text = fc
      .string({ minLength: 1, maxLength: 20 })
      .map((said): NewPart => ({ type: 'text', content: { text: said || 'x' } }));
    const ids = fc.constantFrom('call_0', 'call_1', 'functions.list:0', 'toolu_01ABC', 'abcdefgh1');
    const user = fc.array(text, { minLength: 1, maxLength: 3 }).map((parts): NewMessage[] => [{ role: 'user', parts }]);
    const spoken = fc
      .array(text, { minLength: 1, maxLength: 2 })
      .map((parts): NewMessage[] => [{ role: 'assistant', parts }]);
    const called = fc
      .tuple(fc.option(text), fc.uniqueArray(ids, { minLength: 1, maxLength: 3 }))
      .map(([said, used]): NewMessage[] => [
        {
          role: 'assistant',
          parts: [
            ...(said ? [said] : []),
            ...used.map((toolCallId): NewPart => ({
              type: 'tool-call',
              state: 'completed',
              content: { toolCallId, toolName: 'list_content', input: { type: 'page' } },
            })),
          ],
        },
        {
          role: 'tool',
          parts: used.map((toolCallId): NewPart => ({
            type: 'tool-result',
            content: {
              toolCallId,
              toolName: 'list_content',
              output: { type: 'text', value: `Result of ${toolCallId}` },
            },
          })),
        },
      ]);
    const history = fc.array(fc.oneof(user, spoken, called, fc.constant([picture])), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(history, fc.constantFrom(...SETS), async (messages, rules) => {
        const { id } = await services.sessions.create({ ownerId: 'own_local', modelId: `local/${modelOf(rules)}` });
        await services.messages.appendMany(
          id,
          messages.flat().map((message) => ({ ...message, parts: message.parts.map(part) })),
        );
        expect(answerText(await say(services, id, 'And now?'))).toMatch(/All right|There are/);
        const sent = JSON.stringify(chat.steps().at(-1)!.messages);
        for (const { parts } of messages.flat()) {
          for (const each of parts)
            if (each.type === 'tool-result') expect(sent).toContain(`Result of ${each.content.toolCallId}`);
        }
      }),
      { numRuns: isDeep ? 300 : 10 },
    );
  });
});

it.each([
  ["Invalid 'content': 'content' field must be a string or an array of objects.", 400],
  [{ message: 'messages[2].content: Input should be a valid string, got NoneType' }, 422],
  [{ message: "unsupported operand type(s) for +: 'NoneType' and 'str'" }, 500],
])('sends an empty text with calls once null was refused, from then on: %j', async (error, status) => {
  await using chat = await startServerChat({
    answer: (body) =>
      body.messages.some(({ content }) => content === null) ? { status, json: { error } } : answer(body),
  });
  const { services, session } = chat;
  expect(answerText(await say(services, session.id, 'Look at the site.'))).toBe('There are pages and posts.');
  expect(chat.steps()).toHaveLength(3);
  expect(answerText(await say(services, session.id, 'Look again.'))).toBe('There are pages and posts.');
  expect(chat.steps()).toHaveLength(5);
  const filled = chat
    .steps()
    .at(-1)!
    .messages.filter(({ tool_calls: calls }) => calls !== undefined);
  expect(filled.map(({ content }) => content)).toEqual(['', '']);
});

it('repeats a request unchanged after a fault of the server, and learns no form from it', async () => {
  let faults = 1;
  await using chat = await startServerChat({
    answer: (body) => {
      if (faults === 0) return answer(body);
      faults -= 1;
      return { status: 500, json: { error: { code: 500, message: 'the conversation could not be processed' } } };
    },
  });
  expect(answerText(await say(chat.services, chat.session.id, 'Look.'))).toBe('There are pages and posts.');
  const [first, second] = chat.steps();
  expect(second).toEqual(first);
});

it('sends a request in one form only after an error that has nothing to do with its form', async () => {
  await using chat = await startServerChat({
    answer: () => ({ status: 500, json: { error: { code: 500, message: 'CUDA error: out of memory' } } }),
  });
  await expect(say(chat.services, chat.session.id, 'Look.')).rejects.toThrow('out of memory');
  const forms = new Set(chat.steps().map((step) => JSON.stringify(step.messages)));
  expect(forms.size).toBe(1);
});
