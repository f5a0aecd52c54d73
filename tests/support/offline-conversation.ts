import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4ToolCall } from '@ai-sdk/provider';
import type { ContentBackend } from '#server/site/content-backend';
import { ThroughlineError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { createOfflineModel } from '#server/models/offline/offline-model';
import { defineForModel } from '#server/tools/tool';
import { findTool, tools } from '#server/tools/index';
import { noHistory, noWishes } from '#tests/support/no-conversation';

/** One model call: what it said or called, in the order of the stream. */
export interface Step {
  readonly text: string;
  readonly calls: readonly { readonly toolName: string; readonly input: JsonValue }[];
}

export interface Answer {
  readonly text: string;
  readonly steps: readonly Step[];
}

const offered = tools.map((tool) => ({ type: 'function' as const, ...defineForModel(tool) }));

/** More steps mean that the model goes round in circles. */
const MAX_STEPS = 12;

/**
 * A conversation between a test and the basic assistant, over real tools and a real site: each step's calls are
 * run and their results appended, until the model answers in text or asks.
 */
export class OfflineConversation {
  readonly prompt: LanguageModelV4Prompt = [];
  readonly #content: ContentBackend;
  readonly #model: LanguageModelV4 = createOfflineModel();

  constructor(content: ContentBackend) {
    this.#content = content;
  }

  async say(text: string): Promise<Answer> {
    this.prompt.push({ role: 'user', content: [{ type: 'text', text }] });
    return this.go();
  }

  /** Steps on from the prompt as it stands. */
  async go(): Promise<Answer> {
    const steps: Step[] = [];
    while (steps.length < MAX_STEPS) {
      const { content } = await this.#model.doGenerate({
        prompt: structuredClone(this.prompt),
        tools: [...offered],
      });
      const calls = content.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
      const answer = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      steps.push({ text: answer, calls: calls.map(({ toolName, input }) => ({ toolName, input: JSON.parse(input) })) });
      if (calls.length === 0) {
        this.prompt.push({ role: 'assistant', content: [{ type: 'text', text: answer }] });
        return { text: answer, steps };
      }
      await this.#run(calls);
      if (calls.some(({ toolName }) => findTool(toolName)?.endsTurn)) return { text: '', steps };
    }
    throw new Error(`No answer after ${MAX_STEPS} steps: ${JSON.stringify(steps)}`);
  }

  async #run(calls: readonly LanguageModelV4ToolCall[]): Promise<void> {
    this.prompt.push({
      role: 'assistant',
      content: calls.map(({ toolCallId, toolName, input }) => ({
        type: 'tool-call',
        toolCallId,
        toolName,
        input: JSON.parse(input),
      })),
    });
    const results: Extract<LanguageModelV4Prompt[number], { role: 'tool' }>['content'] = [];
    for (const call of calls) {
      const { toolCallId, toolName } = call;
      results.push({ type: 'tool-result', toolCallId, toolName, output: await this.#execute(call) });
    }
    this.prompt.push({ role: 'tool', content: results });
  }

  async #execute({ toolCallId, toolName, input }: LanguageModelV4ToolCall) {
    const tool = findTool(toolName);
    if (!tool) throw new Error(`The model called an unknown tool: ${toolName}`);
    const parsed = tool.input.safeParse(JSON.parse(input));
    if (!parsed.success) return { type: 'error-text' as const, value: `Invalid input: ${parsed.error.message}` };
    try {
      const value = await tool.execute(parsed.data, {
        siteId: 'embedded',
        scopes: ['content:write'],
        content: this.#content,
        files: { list: () => Promise.resolve([]), read: () => Promise.resolve(null) },
        history: noHistory,
        origin: { actor: 'assistant', sessionId: 'ses_test', turnId: 'trn_test', toolCallId },
        wishes: noWishes,
        signal: new AbortController().signal,
      });
      return { type: 'json' as const, value: value as JsonValue };
    } catch (error) {
      if (error instanceof ThroughlineError) return { type: 'error-text' as const, value: error.message };
      throw error;
    }
  }
}
