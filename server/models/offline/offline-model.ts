import { createHash } from 'node:crypto';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { countTokens } from '#server/context/tokens';
import { readConversation } from '#server/models/offline/conversation';
import { planStep } from '#server/models/offline/plan';
import type { Plan } from '#server/models/offline/plan';

export interface OfflineModelOptions {
  /** Default `offline`. */
  readonly modelId?: string;
  /** Pause between two streamed chunks, milliseconds. Default 0. */
  readonly chunkDelayMs?: number;
}

/** A response as it will be told: the chunks of its content, and how it ends. */
interface Response {
  readonly id: string;
  readonly parts: readonly LanguageModelV4StreamPart[];
  readonly content: LanguageModelV4Content[];
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
}

const NO_TOOLS_REPLY =
  'I am the built-in offline assistant. I work only through tools, and what this needs is not offered here; writing free text, such as a summary, is beyond me.';

/** About three words: small enough to look like writing, large enough not to flood the stream. */
const TEXT_CHUNK = /\s*\S{1,40}(?:\s+\S{1,20}){0,2}|\s+/gu;

/**
 * The built-in offline assistant: a deterministic language model that needs no key and no network. It understands the
 * requests documented in docs/offline-assistant.md, works through the tools it is offered, and knows nothing but the
 * prompt it is given. `doStream` and `doGenerate` reject, and the stream fails, with the signal's reason once aborted.
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
      const { id, content, finishReason, usage } = respond(options);
      return { content, finishReason, usage, warnings: [], response: { id, modelId } };
    },
    async doStream(options) {
      options.abortSignal?.throwIfAborted();
      return { stream: streamOf(respond(options), modelId, chunkDelayMs, options.abortSignal) };
    },
  };
}

function respond(options: LanguageModelV4CallOptions): Response {
  const request = JSON.stringify([options.prompt, options.tools ?? []]);
  const id = createHash('sha256').update(request).digest('hex').slice(0, 12);
  const { parts, tokens, cut } = write(planFor(options), id, options.maxOutputTokens ?? Infinity);
  const inputTokens = countTokens(request);
  const content = contentOf(parts);
  const calls = content.some((part) => part.type === 'tool-call');
  return {
    id,
    parts,
    content,
    finishReason: { unified: cut ? 'length' : calls ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: tokens, text: tokens, reasoning: 0 },
    },
  };
}

/** What to do, within what is offered. */
function planFor({ prompt, tools = [], toolChoice }: LanguageModelV4CallOptions): Plan {
  const plan = planStep(readConversation(prompt));
  const offered = new Set(toolChoice?.type === 'none' ? [] : tools.map(({ name }) => name));
  const possible = plan.kind === 'text' || plan.calls.every(({ toolName }) => offered.has(toolName));
  return possible ? plan : { kind: 'text', text: NO_TOOLS_REPLY };
}

/** The plan as stream parts, as far as `limit` tokens go; a tool call is written whole or not at all. */
function write(
  plan: Plan,
  id: string,
  limit: number,
): { parts: LanguageModelV4StreamPart[]; tokens: number; cut: boolean } {
  const parts: LanguageModelV4StreamPart[] = [];
  let tokens = 0;
  const fits = (text: string) => {
    const cost = countTokens(text);
    if (tokens + cost > limit) return false;
    tokens += cost;
    return true;
  };
  if (plan.kind === 'calls') {
    for (const [index, call] of plan.calls.entries()) {
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
  parts.push({ type: 'text-start', id });
  let cut = false;
  for (const delta of chunksOf(plan.text)) {
    cut = !fits(delta);
    if (cut) break;
    parts.push({ type: 'text-delta', id, delta });
  }
  parts.push({ type: 'text-end', id });
  return { parts, tokens, cut };
}

function chunksOf(text: string): string[] {
  return text.match(TEXT_CHUNK) ?? [];
}

function contentOf(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4Content[] {
  const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
  const calls = parts.filter((part): part is LanguageModelV4ToolCall => part.type === 'tool-call');
  return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls];
}

function streamOf(
  response: Response,
  modelId: string,
  chunkDelayMs: number,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  const { id, parts, usage, finishReason } = response;
  const chunks: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id, modelId },
    ...parts,
    { type: 'finish', usage, finishReason },
  ];
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      if (chunkDelayMs > 0 && next > 0) await pause(chunkDelayMs, signal);
      signal?.throwIfAborted();
      const chunk = chunks[next];
      if (chunk === undefined) return controller.close();
      controller.enqueue(chunk);
      next += 1;
    },
  });
}

/** Waits, or ends early once aborted; the caller checks the signal. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}
