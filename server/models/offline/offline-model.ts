import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { countTokens } from '#server/context/tokens';
import {
  type Conversation,
  readConversation,
  type RecordedCall,
  type Scene,
} from '#server/models/offline/conversation';
import { isDeepStrictEqual } from 'node:util';
import { splitClauses } from '#server/models/offline/clauses';
import { workFor } from '#server/models/offline/requests';
import { type Call, isWrite, type Made, objectOf, textOf, type Work } from '#server/models/offline/work';

export interface OfflineModelOptions {
  /** Default `offline`. */
  readonly modelId?: string;
  /** Pause between two streamed chunks, milliseconds. Default 0. */
  readonly chunkDelayMs?: number;
}

const NO_TOOLS_REPLY =
  'I am the basic assistant. I work only through tools, and what this needs is not offered here; writing free text, such as a summary, is beyond me.';

/** About three words: small enough to look like writing, large enough not to flood the stream. */
const TEXT_CHUNK = /\s*\S{1,40}(?:\s+\S{1,20}){0,2}|\s+/gu;

/**
 * The basic assistant: a deterministic language model that needs no key and no network. It understands the
 * requests documented in docs/reference/basic-assistant.md, works through the tools it is offered, and knows nothing but the
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
  const offered = new Set(toolChoice?.type === 'none' ? [] : tools.flatMap(callable));
  const plan = planStep(readConversation(prompt), offered);
  const isPossible = typeof plan === 'string' || plan.every(({ toolName }) => offered.has(toolName));
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
    },
  };
  return { id, parts, answer };
}

/** Names of the tools that can be called for this one: what load_tools names is loaded when it is called. */
function callable(tool: NonNullable<LanguageModelV4CallOptions['tools']>[number]): string[] {
  if (tool.name !== 'load_tools' || tool.type !== 'function') return [tool.name];
  return [tool.name, ...(tool.description?.match(/\w+/g) ?? [])];
}

/** The plan as stream parts, as far as `limit` tokens go; a tool call is written whole or not at all. */
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
      // Aborted, the pause rejects with an error of its own; the stream fails with the signal's reason.
      if (chunkDelayMs > 0 && next > 0) await pause(chunkDelayMs, undefined, signal && { signal }).catch(() => {});
      signal?.throwIfAborted();
      const chunk = chunks[next];
      if (chunk === undefined) return controller.close();
      controller.enqueue(chunk);
      next += 1;
    },
  });
}

/** The next step: calls, or the text that ends the turn. */
export type Plan = readonly RecordedCall[] | string;

const NO_TOOLS: ReadonlySet<string> = new Set();

/** A message may ask for this much; the rest is declined in words. */
const MAX_CLAUSES = 40;

const CANNOT_READ_FILES =
  'I am the basic assistant and do not read attached files; a connected model can. They stay with your message.';

/** Decides the next step of the newest request from the conversation and the names of the tools offered alone. */
export function planStep(conversation: Conversation, offered: ReadonlySet<string> = NO_TOOLS): Plan {
  const { texts, calls, partial } = conversation.open;
  const journal = new Journal(texts[0] ?? '', calls);
  const scene: Scene = {
    conversation,
    last: null,
    isOffered: (toolName) => offered.has(toolName),
    nextWriteIsLost: () => journal.nextWriteIsLost(),
  };
  for (const { outcome, ...call } of conversation.earlier) if (outcome) follow(scene, { ...call, outcome });

  const work = workOf(scene);
  let state = work.next();
  while (!state.done) {
    const taken = state.value.map((call) => journal.take(call));
    const pending = taken.filter(({ outcome }) => outcome === null);
    if (pending.length > 0) return pending;
    const made = taken.flatMap(({ outcome, ...call }) => (outcome ? [{ ...call, outcome }] : []));
    for (const each of made) follow(scene, each);
    state = work.next(made);
  }
  // A step that was cut off has said the beginning already.
  const said = partial !== '' && state.value.startsWith(partial) ? partial.length : 0;
  return state.value.slice(said) || 'That was all.';
}

function* workOf(scene: Scene): Work {
  const clauses = scene.conversation.open.texts.flatMap(splitClauses);
  const replies: string[] = [];
  for (const clause of clauses.slice(0, MAX_CLAUSES)) replies.push(yield* workFor(clause, scene));
  if (clauses.length > MAX_CLAUSES) {
    replies.push(`I did the first ${MAX_CLAUSES} of ${clauses.length} requests; please send the others again.`);
  }
  if (clauses.length === 0) replies.push('I see no request in your message.');
  if (scene.conversation.open.hasFiles) replies.push(CANNOT_READ_FILES);
  return [...new Set(replies)].join('\n');
}

/** Keeps what "it" means up to date. A page that could not be created must not leave it with another one. */
function follow(scene: Scene, { toolName, outcome }: Made): void {
  if (outcome.kind === 'done') {
    const { id, type } = objectOf(outcome.value);
    if (type === 'page' || type === 'post') scene.last = textOf(id);
  } else if (toolName === 'create_content' && outcome.kind !== 'lost') scene.last = null;
}

/**
 * The calls that the prompt shows for the open request, handed out again as its work is repeated.
 *
 * Every call's id says how many writes of the request were done before it. So when a compaction in the middle of a
 * turn took the first calls out of the prompt, a later one still tells how far the work had come: what lies before it
 * is `lost`, and not done twice.
 */
class Journal {
  readonly #key: string;
  readonly #unused: RecordedCall[];
  readonly #visible: ReadonlySet<number>;
  readonly #reached: number;
  #writes = 0;

  /** @param request its hash goes into the ids, so that those of another request are not mistaken for this one's */
  constructor(request: string, calls: readonly RecordedCall[]) {
    this.#key = createHash('sha256').update(request).digest('hex').slice(0, 4);
    this.#unused = calls.filter(({ outcome }) => outcome !== null);
    const writes = this.#unused.filter(({ toolName }) => isWrite(toolName));
    this.#visible = new Set(writes.map(({ id }) => this.#positionOf(id)));
    this.#reached = Math.max(0, ...calls.map(({ id }) => this.#positionOf(id)));
  }

  /** The call with its outcome, or with null if it is still to be made. */
  take(call: Call): RecordedCall {
    const writes = isWrite(call.toolName);
    const ofTool = (each: RecordedCall) => each.toolName === call.toolName;
    const same = this.#unused.findIndex((each) => ofTool(each) && isDeepStrictEqual(each.input, call.input));
    // The prompt may show a long input cut: then its place tells.
    const isHere = (each: RecordedCall) => each.outcome?.kind === 'done' && this.#positionOf(each.id) === this.#writes;
    const index = same === -1 && writes ? this.#unused.findIndex((each) => ofTool(each) && isHere(each)) : same;
    const recorded = index === -1 ? undefined : this.#unused.splice(index, 1)[0];
    const position = writes ? this.#writes : Math.max(this.#writes, this.#reached);
    const taken = recorded ?? {
      ...call,
      id: `call_${position}_${this.#key}`,
      outcome: writes && this.nextWriteIsLost() ? { kind: 'lost' as const } : null,
    };
    if (writes && (taken.outcome?.kind === 'done' || taken.outcome?.kind === 'lost')) this.#writes += 1;
    return taken;
  }

  nextWriteIsLost(): boolean {
    return this.#writes < this.#reached && !this.#visible.has(this.#writes);
  }

  #positionOf(id: string): number {
    const [, position, key] = /^call_(\d{1,4})_([0-9a-f]{4})/.exec(id) ?? [];
    return key === this.#key ? Number(position) : -1;
  }
}
