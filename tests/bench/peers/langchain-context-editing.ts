import type { BaseMessage } from '@langchain/core/messages';
import { messagesStateReducer } from '@langchain/langgraph';
import { ClearToolUsesEdit, contextEditingMiddleware } from 'langchain';
import type { Approach, Run, World } from '../context/approach.ts';
import { inputTokens } from './input-tokens.ts';
import { LangChainMessages } from './langchain-messages.ts';
import { packageSource } from './package-source.ts';
import { ScriptedChatModel } from './scripted-chat-model.ts';

interface Request {
  messages: BaseMessage[];
  model: ScriptedChatModel;
}
type WrapModelCall = (request: Request, handler: (request: Request) => BaseMessage[]) => Promise<BaseMessage[]>;

/** LangChain's `contextEditingMiddleware` with the edit that it has by default. */
export const langchainContextEditing: Approach = {
  name: 'LangChain: context editing',
  source: packageSource('langchain'),
  isOurs: false,
  setup:
    'Its defaults (keeps the 3 newest tool results, its own approximate counter); its trigger of 100,000 tokens is scaled to half of the input of this window.',
  open: async (world) => open(world),
};

function open(world: World): Run {
  const converted = new LangChainMessages();
  const edit = new ClearToolUsesEdit({ trigger: { tokens: Math.floor(inputTokens(world) / 2) } });
  const middleware = contextEditingMiddleware({ edits: [edit] });
  const wrapModelCall = middleware.wrapModelCall as unknown as WrapModelCall;
  const model = new ScriptedChatModel(world);
  let messages: BaseMessage[] = [];

  return {
    async step(added) {
      messages = messagesStateReducer(messages, converted.from(added));
      // An agent of LangChain hands the middleware the messages of its state themselves, so what is cleared stays so.
      const sent = await wrapModelCall({ messages, model }, (request) => request.messages);
      return converted.to(sent);
    },
    recall: null,
    close: async () => {},
  };
}
