import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, MemorySession, OpenAIProvider, Runner, setTracingDisabled, tool as agentTool } from '@openai/agents';
import { jsonSchema, type ModelMessage, stepCountIs, streamText, tool as aiTool } from 'ai';
import OpenAI from 'openai';
import { z } from 'zod';
import { MODEL, pageOf, TOOL, TURNS, turns } from './conversation.ts';

/* Libraries with their defaults: each holds a conversation with tool calls that is several times the window. */

/** Asks turn by turn at this address, which ends in `/v1`; returns the last answer. */
type Story = (baseURL: string) => Promise<string>;

const parameters = { type: 'object', properties: { slug: { type: 'string' } }, required: ['slug'] };

const chat: Story = async (baseURL) => {
  const openai = new OpenAI({ baseURL, apiKey: 'any' });
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  const tools = [{ type: 'function' as const, function: { name: TOOL, parameters } }];
  for (const content of turns(TURNS)) {
    messages.push({ role: 'user', content });
    for (;;) {
      const { choices } = await openai.chat.completions.create({ model: MODEL, messages, tools });
      const said = choices[0]!.message;
      messages.push(said);
      if (!said.tool_calls?.length) break;
      for (const call of said.tool_calls)
        messages.push({ role: 'tool', tool_call_id: call.id, content: pageOf(call.id) });
    }
  }
  return String(messages.at(-1)?.content);
};

const responses: Story = async (baseURL) => {
  const openai = new OpenAI({ baseURL, apiKey: 'any' });
  const tools = [{ type: 'function' as const, name: TOOL, parameters, strict: false }];
  let previous: string | undefined;
  let last = '';
  for (const text of turns(TURNS)) {
    let input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: text }];
    while (input.length > 0) {
      const stream = openai.responses.stream({
        model: MODEL,
        input,
        tools,
        ...(previous !== undefined && { previous_response_id: previous }),
      });
      const response = await stream.finalResponse();
      previous = response.id;
      last = response.output_text;
      input = response.output.flatMap((item) =>
        item.type === 'function_call'
          ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: pageOf(item.call_id) }]
          : [],
      );
    }
  }
  return last;
};

const agents: Story = async (baseURL) => {
  setTracingDisabled(true);
  const readPage = agentTool({
    name: TOOL,
    description: 'Reads a page',
    parameters: z.object({ slug: z.string() }),
    execute: async ({ slug }) => pageOf(slug),
  });
  const agent = new Agent({ name: 'Potter', instructions: 'You build websites.', model: MODEL, tools: [readPage] });
  const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL, apiKey: 'any' }), tracingDisabled: true });
  const session = new MemorySession();
  let last = '';
  for (const text of turns(TURNS)) last = String((await runner.run(agent, text, { session })).finalOutput);
  return last;
};

const aiSdk: Story = async (baseURL) => {
  const model = createOpenAI({ baseURL, apiKey: 'any' })(MODEL);
  const tools = {
    [TOOL]: aiTool({
      inputSchema: jsonSchema<{ slug: string }>({ ...parameters, type: 'object' }),
      execute: async (_, { toolCallId }) => pageOf(toolCallId),
    }),
  };
  const messages: ModelMessage[] = [];
  let last = '';
  for (const content of turns(TURNS)) {
    messages.push({ role: 'user', content });
    const result = streamText({ model, messages, tools, stopWhen: stepCountIs(5) });
    last = await result.text;
    messages.push(...(await result.responseMessages));
  }
  return last;
};

const langchain: Story = async (baseURL) => {
  const readPage = langchainTool(async ({ slug }) => pageOf(slug), {
    name: TOOL,
    description: 'Reads a page',
    schema: z.object({ slug: z.string() }),
  });
  const model = new ChatOpenAI({ model: MODEL, apiKey: 'any', configuration: { baseURL } }).bindTools([readPage]);
  const messages: BaseMessage[] = [];
  for (const text of turns(TURNS)) {
    messages.push(new HumanMessage(text));
    for (;;) {
      const said: AIMessage = await model.invoke(messages);
      messages.push(said);
      if (!said.tool_calls?.length) break;
      for (const call of said.tool_calls)
        messages.push(new ToolMessage({ tool_call_id: String(call.id), content: pageOf(String(call.id)) }));
    }
  }
  return String(messages.at(-1)?.content);
};

const anthropic: Story = async (baseURL) => {
  const client = new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), apiKey: 'any' });
  const messages: Anthropic.MessageParam[] = [];
  const tools = [{ name: TOOL, input_schema: parameters as Anthropic.Tool.InputSchema }];
  let last = '';
  for (const content of turns(TURNS)) {
    messages.push({ role: 'user', content });
    for (;;) {
      const stream = client.messages.stream({ model: MODEL, max_tokens: 2_000, messages, tools });
      const said = await stream.finalMessage();
      messages.push({ role: 'assistant', content: said.content });
      last = said.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
      const results = said.content.flatMap((block) =>
        block.type === 'tool_use'
          ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: pageOf(block.id) }]
          : [],
      );
      if (results.length === 0) break;
      messages.push({ role: 'user', content: results });
    }
  }
  return last;
};

export const stories: Readonly<Record<string, Story>> = {
  'openai, chat completions': chat,
  'openai, responses': responses,
  '@openai/agents': agents,
  '@ai-sdk/openai': aiSdk,
  '@langchain/openai': langchain,
  '@anthropic-ai/sdk': anthropic,
};
