import { type Plan, planStep } from '#server/models/offline/plan';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { countTokens } from '#server/context/tokens';
import { readConversation } from '#server/models/offline/conversation';

export interface OfflineModelOptions {
  /** Default `offline`. */
  readonly modelId?: string;
  /** Pause between two streamed chunks, milliseconds. Default 0. */
  readonly chunkDelayMs?: number;
}

const NO_TOOLS_REPLY =
  'I am the basic assistant. I work only through tools, and what this needs is not offered here; writing free text, such as a summary, is beyond me.';

/** About three words: small enough to look like typing, large enough not to flood the stream. */
const TEXT_CHUNK = /\s*\S{1,40}(?:\s+\S{1,20}){0,2}|\s+/gu;

/**
 * The basic assistant: a deterministic language model that needs no key and no network. It understands the requests
 * documented in docs/reference/basic-assistant.md, works through the tools that it is offered, and uses only the
 * prompt. When aborted, `doStream` and `doGenerate` reject, and the stream fails, with the signal's reason.
 */
export function createOfflineModel({
  modelId = 'offline',
  chunkDelayMs = 0,
}: OfflineModelOptions = {}): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'throughline.offline',
    modelId,
    supportedUrls: {},
    async doGenerate(options) {
      options.abortSignal?.throwIfAborted();
      const { id, answer } = respond(options);
      return { ...answer, warnings: [], response: { id, modelId } };
    },
    async doStream(options) {
      options.abortSignal?.throwIfAborted();
      const { id, parts, answer } = respond(options);
      const chunks: LanguageModelV4StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        { type: 'response-metadata', id, modelId },
        ...parts,
        { type: 'finish', usage: answer.usage, finishReason: answer.finishReason },
      ];
      return { stream: streamOf(chunks, chunkDelayMs, options.abortSignal) };
    },
  };
}

type Answer = Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage'>;

function respond({ prompt, tools = [], toolChoice, maxOutputTokens = Infinity }: LanguageModelV4CallOptions) {
  const request = JSON.stringify([prompt, tools]);
  const id = createHash('sha256').update(request).digest('hex').slice(0, 12);
  const names = toolChoice?.type === 'none' ? [] : tools.flatMap(callable);
  const offered = new Set(names.map(plainName));
  const asked = planStep(readConversation(withPlainNames(prompt)), offered);
  const wireName = (plain: string) =>
    names.find((name) => name === plain) ?? names.find((name) => plainName(name) === plain) ?? plain;
  const plan =
    typeof asked === 'string' ? asked : asked.map((call) => ({ ...call, toolName: wireName(call.toolName) }));
  const isPossible = typeof plan === 'string' || plan.every(({ toolName }) => names.includes(toolName));
  const { parts, tokens, cut } = writtenOut(isPossible ? plan : NO_TOOLS_REPLY, id, maxOutputTokens);
  const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
  const calls = parts.filter((part) => part.type === 'tool-call');
  const input = countTokens(request);
  const answer: Answer = {
    content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls],
    finishReason: { unified: cut ? 'length' : calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: tokens, text: tokens, reasoning: 0 },
      raw: { cost: 0 },
    },
  };
  return { id, parts, answer };
}

/** Tools that requests to the basic assistant call. */
const KNOWN =
  /(?:^|[^a-z])((?:create|get|list|search|update|delete|publish|unpublish)_content|(?:add|update)_section|get_navigation|ask_user|keep_in_mind|remember_instruction|undo)$/;

/** The tool's own name: clients add prefixes such as `tl_` or `mcp__throughline__`. */
const plainName = (name: string) => KNOWN.exec(name)?.[1] ?? name;

function withPlainNames(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.map((message) =>
    message.role === 'assistant'
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === 'tool-call' ? { ...part, toolName: plainName(part.toolName) } : part,
          ),
        }
      : message,
  );
}

/** Names of the tools that can be called through this one: tools that load_tools names are loaded when called. */
function callable(tool: NonNullable<LanguageModelV4CallOptions['tools']>[number]): string[] {
  if (tool.name !== 'load_tools' || tool.type !== 'function') return [tool.name];
  return [tool.name, ...(tool.description?.match(/\w+/g) ?? [])];
}

/** The plan as stream parts, up to `limit` tokens; a tool call is written completely or not at all. */
function writtenOut(plan: Plan, id: string, limit: number) {
  const parts: LanguageModelV4StreamPart[] = [];
  let tokens = 0;
  const fits = (text: string) => {
    const cost = countTokens(text);
    if (tokens + cost > limit) return false;
    tokens += cost;
    return true;
  };
  if (typeof plan !== 'string') {
    for (const [index, call] of plan.entries()) {
      const { toolName } = call;
      const input = JSON.stringify(call.input);
      if (!fits(toolName + input)) return { parts, tokens, cut: true };
      const toolCallId = `${call.id}${id}${index}`;
      parts.push({ type: 'tool-input-start', id: toolCallId, toolName });
      for (const delta of chunksOf(input)) parts.push({ type: 'tool-input-delta', id: toolCallId, delta });
      parts.push({ type: 'tool-input-end', id: toolCallId }, { type: 'tool-call', toolCallId, toolName, input });
    }
    return { parts, tokens, cut: false };
  }
  const chunks = chunksOf(plan);
  const beyond = chunks.findIndex((delta) => !fits(delta));
  const said = beyond === -1 ? chunks : chunks.slice(0, beyond);
  parts.push({ type: 'text-start', id });
  for (const delta of said) parts.push({ type: 'text-delta', id, delta });
  parts.push({ type: 'text-end', id });
  return { parts, tokens, cut: beyond !== -1 };
}

function chunksOf(text: string): string[] {
  return text.match(TEXT_CHUNK) ?? [];
}

function streamOf(chunks: readonly LanguageModelV4StreamPart[], chunkDelayMs: number, signal: AbortSignal | undefined) {
  let next = 0;
  return new ReadableStream<LanguageModelV4StreamPart>({
    async pull(controller) {
      // On abort, the pause rejects with its own error; the stream fails with the signal's reason.
      if (chunkDelayMs > 0 && next > 0) await pause(chunkDelayMs, undefined, signal && { signal }).catch(() => {});
      signal?.throwIfAborted();
      const chunk = chunks[next];
      if (chunk === undefined) return controller.close();
      controller.enqueue(chunk);
      next += 1;
    },
  });
}
