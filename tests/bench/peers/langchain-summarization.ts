import type { BaseMessage } from '@langchain/core/messages';
import { messagesStateReducer } from '@langchain/langgraph';
import { summarizationMiddleware } from 'langchain';
import type { Approach, Run, World } from '../context/approach.ts';
import { LangChainMessages } from './langchain-messages.ts';
import { packageSource } from './package-source.ts';
import { ScriptedChatModel } from './scripted-chat-model.ts';

type Keep = { messages: number } | { fraction: number };
type BeforeModel = (
  state: { messages: BaseMessage[] },
  runtime: { context: object },
) => Promise<{ messages: BaseMessage[] } | undefined>;

/** LangChain's `summarizationMiddleware`, as its defaults are, and with what its reference shows for limits by fraction. */
export const langchainSummarization: Approach[] = [
  summarization(
    'LangChain: summarization',
    { messages: 20 },
    'Its defaults (keeps the 20 newest messages, 4,000 tokens for the summarizer); it has no default trigger, so 0.8 of the input of this window.',
  ),
  summarization(
    'LangChain: summarization by fraction',
    { fraction: 0.3 },
    'Keeps the newest 0.3 of the input of this window instead of 20 messages, trigger 0.8; otherwise its defaults.',
  ),
];

function summarization(name: string, keep: Keep, setup: string): Approach {
  return {
    name,
    source: packageSource('langchain'),
    isOurs: false,
    setup,
    open: async (world) => open(world, keep),
  };
}

function open(world: World, keep: Keep): Run {
  const converted = new LangChainMessages();
  const middleware = summarizationMiddleware({
    model: new ScriptedChatModel(world),
    trigger: { fraction: 0.8 },
    keep,
    tokenCounter: (messages: BaseMessage[]) => world.count(converted.to(messages)),
  });
  const beforeModel = middleware.beforeModel as unknown as BeforeModel;
  let messages: BaseMessage[] = [];

  return {
    async step(added) {
      messages = messagesStateReducer(messages, converted.from(added));
      const update = await beforeModel({ messages }, { context: {} });
      if (update) messages = messagesStateReducer(messages, update.messages);
      return converted.to(messages);
    },
    recall: null,
    close: async () => {},
  };
}
