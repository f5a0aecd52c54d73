import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import type { World } from '../context/approach.ts';
import { inputTokens } from './input-tokens.ts';

/** The world's summarizer as a chat model of LangChain, with the profile that limits by fraction are taken of. */
export class ScriptedChatModel extends BaseChatModel {
  readonly #world: World;

  constructor(world: World) {
    super({});
    this.#world = world;
  }

  override get profile(): { maxInputTokens: number } {
    return { maxInputTokens: inputTokens(this.#world) };
  }

  override _llmType(): string {
    return 'scripted';
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const text = await this.#world.summarize(messages.map((message) => message.text).join('\n\n'));
    return { generations: [{ text, message: new AIMessage(text) }] };
  }
}
