import { createHash } from 'node:crypto';
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Message,
  type LanguageModelV4Prompt,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import { type JsonValue, parseJson, textsIn } from '#server/core/json';

/* Chat templates of local models differ in what they accept. Two forms that every template accepts are used from the
   start: texts as one string, and call ids of nine letters and digits. Everything else is sent unchanged until a server
   refuses it; then the request is repeated in a form that more templates accept, and the successful form is remembered
   for the model. */

/** Changes of a request that make it acceptable to more servers, in the order in which they are tried. */
const RULES = [
  'empty-content',
  'no-thoughts',
  'single-calls',
  'alternating',
  'no-system',
  'no-images',
  'calls-as-text',
] as const;
export type Rule = (typeof RULES)[number];

/** Patterns of error messages that name what a server refuses; a matching rule is tried first. */
const NAMED: Readonly<Record<Rule, RegExp>> = {
  // LM Studio: "'content' field must be a string or an array of objects"; Ollama: "invalid message content type: <nil>".
  'empty-content': /content.{0,40}(?:must be a string|null|nil|none|missing|required)/i,
  'no-thoughts': /reasoning|thinking/i,
  // Llama 3: "This model only supports single tool-calls ..."
  'single-calls': /single tool.calls?|parallel tool|multiple tool.calls|one tool.call/i,
  // Mistral, Gemma, Llama 2: "conversation roles must alternate user/assistant/user/assistant/..."
  alternating: /alternat|consecutive|(?:start|begin) with.{0,20}user|unexpected role|order of roles/i,
  // Gemma: "System role not supported"
  'no-system': /system (?:role|message|prompt)|role.{0,10}system/i,
  // llama.cpp: "image input is not supported"; jinja2 in llama-cpp-python: "can only concatenate str (not "list")"
  'no-images': /image|typed content|multimodal|mmproj|content.{0,30}(?:array|list)|not "list"/i,
  'calls-as-text': /tool (?:role|message)s?\b|role.{0,10}tool|(?:unknown|only user and assistant) roles?|tool_calls/i,
};

/** Pattern of errors that a chat template, or the Python around it, raises. */
const OF_TEMPLATE = /jinja|template|concatenate|NoneType|unsupported operand/i;
/** Pattern of errors about the form of messages. */
const ABOUT_FORM = /roles?\b|assistant|conversation|undefined/i;
/** Pattern of refusals (400, 422) about it. A fault of the server may use these words for anything. */
const REFUSES_FORM = /messages?\b|content/i;
/** Pattern of errors about their length: another form does not help. */
const ABOUT_LENGTH = /context|too long|exceed|length|token (?:count|limit)|n_ctx/i;

/** Pattern of errors about the model or how its server was started: another form does not help. */
const ABOUT_MODEL =
  /not support (?:tools|chat|function)|requires --jinja|load(?:ing)? (?:the )?model|system memory|model ['"`]?[^'"`\s]{1,200}['"`]? not found/i;

/** A private field in a request's body; `withEmptyContent` removes it. */
const EMPTY_CONTENT = 'throughline_empty_content';

/**
 * Adapts the messages of a request to the chat template of its model.
 * @param learned what each model accepts, as found by earlier requests
 * @param described the rules that the server's description of the model requires
 */
export function withPortableMessages(
  model: LanguageModelV4,
  learned: Map<string, ReadonlySet<Rule>>,
  described: () => readonly Rule[] = () => [],
): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      transformParams: ({ params }) => Promise.resolve({ ...params, prompt: portable(params.prompt) }),
      async wrapStream({ model: original, params }) {
        const { modelId } = original;
        const rules = new Set(learned.get(modelId) ?? described());
        let first: unknown;
        let isRepeated = false;
        for (;;) {
          const attempt = await tryStream(original, adapted(params, rules));
          if ('error' in attempt && !isRepeated && mayPass(attempt.error)) {
            isRepeated = true;
            continue;
          }
          if ('result' in attempt) {
            // The newest request decides: a rule that did not help is forgotten.
            if (rules.size > 0) learned.set(modelId, rules);
            return attempt.result;
          }
          first ??= attempt.error;
          const next = nextRule(attempt.error, params, rules);
          if (next === null) throw isAboutForm(attempt.error) ? first : attempt.error;
          rules.add(next);
        }
      },
    },
  });
}

type Attempt = { readonly result: LanguageModelV4StreamResult } | { readonly error: unknown };

/**
 * Sends the request once. An error before any output, as a response or in the stream, counts as an error of the
 * request.
 */
async function tryStream(model: LanguageModelV4, params: LanguageModelV4CallOptions): Promise<Attempt> {
  let result: LanguageModelV4StreamResult;
  try {
    result = await model.doStream(params);
  } catch (error) {
    return { error };
  }
  const reader = result.stream.getReader();
  const read: LanguageModelV4StreamPart[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (value) read.push(value);
    if (value?.type === 'error' && isAboutForm(value.error)) {
      await reader.cancel().catch(() => undefined);
      return { error: value.error };
    }
    const isPreliminary = value && ['stream-start', 'response-metadata', 'raw'].includes(value.type);
    if (done || !isPreliminary) break;
  }
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start: (controller) => read.forEach((part) => controller.enqueue(part)),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { result: { ...result, stream } };
}

/** Text of an error that may concern the form of messages; null for any other. */
function refusalText(error: unknown): string | null {
  if (!APICallError.isInstance(error)) {
    const { message } = (error ?? {}) as { message?: unknown };
    return typeof message === 'string' ? message : null;
  }
  const isRefusal = error.statusCode !== undefined && [400, 422, 500].includes(error.statusCode);
  if (!isRefusal) return null;
  const body = error.responseBody ?? '';
  // Without the names of fields, one of which is `message`.
  return [error.message, ...textsIn((parseJson(body) ?? body) as JsonValue)].join(' ');
}

function isAboutForm(error: unknown): boolean {
  const text = refusalText(error);
  if (text === null || ABOUT_MODEL.test(text) || (ABOUT_LENGTH.test(text) && !/jinja|template/i.test(text)))
    return false;
  if (OF_TEMPLATE.test(text) || ABOUT_FORM.test(text) || RULES.some((rule) => NAMED[rule].test(text))) return true;
  return !isFault(error) && REFUSES_FORM.test(text);
}

const isFault = (error: unknown) => APICallError.isInstance(error) && error.statusCode === 500;

/** True for a fault of the server that names no rule: it may not occur again, so the request is repeated unchanged. */
function mayPass(error: unknown): boolean {
  const text = refusalText(error) ?? '';
  if (!isFault(error) || !isAboutForm(error)) return false;
  return !OF_TEMPLATE.test(text) && !RULES.some((rule) => NAMED[rule].test(text));
}

/** The next rule to try: one that the error names, else the first that changes the request; null if none remains. */
function nextRule(error: unknown, params: LanguageModelV4CallOptions, rules: ReadonlySet<Rule>): Rule | null {
  if (!isAboutForm(error)) return null;
  const text = refusalText(error) ?? '';
  const now = JSON.stringify(adapted(params, rules));
  const helps = (rule: Rule) => !rules.has(rule) && JSON.stringify(adapted(params, new Set([...rules, rule]))) !== now;
  const possible = RULES.filter(helps);
  return possible.find((rule) => NAMED[rule].test(text)) ?? possible[0] ?? null;
}

/** The request with these rules applied. */
function adapted(params: LanguageModelV4CallOptions, rules: ReadonlySet<Rule>): LanguageModelV4CallOptions {
  let { prompt } = params;
  if (rules.has('no-thoughts')) prompt = prompt.map(withoutThoughts);
  if (rules.has('calls-as-text')) prompt = withCallsAsText(prompt);
  if (rules.has('single-calls')) prompt = withSingleCalls(prompt);
  if (rules.has('no-images')) prompt = prompt.map(withoutImages);
  if (rules.has('no-system')) prompt = withoutSystem(prompt);
  if (rules.has('alternating')) prompt = alternating(prompt);
  if (prompt !== params.prompt) prompt = prompt.map(withJoinedTexts);
  if (!rules.has('empty-content') || !prompt.some(isCallOnly)) return { ...params, prompt };
  const { local = {}, ...others } = params.providerOptions ?? {};
  return { ...params, prompt, providerOptions: { ...others, local: { ...local, [EMPTY_CONTENT]: true } } };
}

/**
 * The body of a request; if a server has refused `null` content in messages with calls, it is replaced by an empty
 * text.
 */
export function withEmptyContent({ [EMPTY_CONTENT]: isWanted, ...body }: Record<string, unknown>) {
  const { messages } = body;
  if (isWanted !== true || !Array.isArray(messages)) return body;
  const filled = (message: { content?: unknown }) =>
    message.content === null || message.content === undefined ? { ...message, content: '' } : message;
  return { ...body, messages: messages.map(filled) };
}

type Message<Role extends LanguageModelV4Message['role']> = LanguageModelV4Message & { role: Role };
type Text = { type: 'text'; text: string };

const textPart = (text: string): Text => ({ type: 'text', text });
const userMessage = (text: string): LanguageModelV4Message => ({ role: 'user', content: [textPart(text)] });

function isCallOnly(message: LanguageModelV4Message): boolean {
  if (message.role !== 'assistant') return false;
  return (
    message.content.some(({ type }) => type === 'tool-call') &&
    message.content.every((part) => part.type !== 'text' || part.text === '')
  );
}

/** The messages in the form that is sent from the start. */
function portable(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return withShortIds(prompt.map(withJoinedTexts));
}

/** The message with consecutive texts joined by blank lines: the package sends only a single text as a string. */
function withJoinedTexts(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== 'user' && message.role !== 'assistant') return message;
  const parts: LanguageModelV4Message['content'][number][] = [];
  for (const part of message.content) {
    const last = parts.at(-1);
    const canJoin = part.type === 'text' && typeof last === 'object' && last.type === 'text';
    if (canJoin) parts[parts.length - 1] = { ...last, text: joined(last.text, part.text) };
    else parts.push(part);
  }
  return { ...message, content: parts } as LanguageModelV4Message;
}

const joined = (one: string, other: string) =>
  one.endsWith('\n') || other.startsWith('\n') ? one + other : `${one}\n\n${other}`;

/** Length of call ids in letters and digits: Mistral's templates refuse any other length. */
const ID_LENGTH = 9;

/**
 * The messages with call ids that every template accepts. They are derived from the stored ids, and therefore the same
 * in each request; calls of two steps with the same id get different ones.
 */
function withShortIds(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const counts = new Map<string, number>();
  const newest = new Map<string, string>();
  return prompt.map((message) => {
    if (message.role !== 'assistant' && message.role !== 'tool') return message;
    const content = message.content.map((part) => {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') return part;
      const { toolCallId: id } = part;
      if (part.type === 'tool-call') {
        const count = counts.get(id) ?? 0;
        counts.set(id, count + 1);
        newest.set(id, shortId(count === 0 ? id : `${id} ${count}`));
      }
      return { ...part, toolCallId: newest.get(id) ?? shortId(id) };
    });
    return { ...message, content } as LanguageModelV4Message;
  });
}

function shortId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  const number = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`);
  return number.toString(36).slice(-ID_LENGTH);
}

function withoutThoughts(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== 'assistant' || message.content.every(({ type }) => type !== 'reasoning')) return message;
  return { ...message, content: message.content.filter(({ type }) => type !== 'reasoning') };
}

/** The messages with the calls of one step in sequence, each followed by its result. */
function withSingleCalls(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.flatMap((message, index): LanguageModelV4Message[] => {
    if (message.role === 'tool') {
      const before = prompt[index - 1];
      return before?.role === 'assistant' && callsOf(before).length > 1 ? [] : [message];
    }
    if (message.role !== 'assistant') return [message];
    const calls = callsOf(message);
    if (calls.length < 2) return [message];
    const next = prompt[index + 1];
    const results = next?.role === 'tool' ? next.content : [];
    const said = message.content.filter(({ type }) => type !== 'tool-call');
    const isOf = (id: string) => (part: (typeof results)[number]) =>
      part.type === 'tool-result' && part.toolCallId === id;
    return calls.flatMap((call, place) => [
      { ...message, content: [...(place === 0 ? said : []), call] },
      { role: 'tool' as const, content: results.filter(isOf(call.toolCallId)) },
    ]);
  });
}

function callsOf({ content }: Message<'assistant'>) {
  return content.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
}

/** The messages with calls and results written as text, for templates that support neither. */
function withCallsAsText(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.map((message): LanguageModelV4Message => {
    if (message.role === 'tool') {
      const results = message.content.flatMap((part) => (part.type === 'tool-result' ? [part] : []));
      const told = results.map(({ toolName, output }) => `Result of the tool ${toolName}:\n${outputText(output)}`);
      return userMessage(told.join('\n\n'));
    }
    if (message.role !== 'assistant') return message;
    const content = message.content.map((part) =>
      part.type === 'tool-call' ? textPart(`(Called the tool ${part.toolName} with ${inputText(part.input)})`) : part,
    );
    return { ...message, content };
  });
}

const inputText = (input: unknown) => (typeof input === 'string' ? input : JSON.stringify(input));

function outputText(output: Extract<Message<'tool'>['content'][number], { type: 'tool-result' }>['output']): string {
  if (output.type === 'execution-denied') return output.reason ?? 'The call was not allowed.';
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
}

/** The message with each picture or file replaced by a line of text. */
function withoutImages(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== 'user' || message.content.every(({ type }) => type === 'text')) return message;
  const content = message.content.map((part) =>
    part.type === 'file'
      ? textPart(`(Attached: ${part.filename ?? part.mediaType}, which this model cannot see)`)
      : part,
  );
  return { ...message, content };
}

/** The messages with the instructions at the beginning of the first user message. */
function withoutSystem(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const instructions = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  if (instructions.length === 0) return prompt;
  const rest = prompt.filter(({ role }) => role !== 'system');
  const [first, ...others] = rest;
  const text = textPart(instructions.join('\n\n'));
  if (first?.role !== 'user') return [{ role: 'user', content: [text] }, ...rest];
  return [{ ...first, content: [text, ...first.content] }, ...others];
}

/** Inserted messages for templates that require alternating roles. */
const GO_ON = 'Go on.';
const READ = 'I have read the results.';

/** The messages with alternating user and assistant, and calls and results between them. */
function alternating(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const out: LanguageModelV4Message[] = [];
  for (const message of prompt) {
    const last = out.at(-1);
    const isFirst = last === undefined || last.role === 'system';
    if (message.role === 'assistant' && isFirst) out.push(userMessage(GO_ON));
    if (message.role === 'user' && last?.role === 'user') {
      out[out.length - 1] = { ...last, content: [...last.content, ...message.content] };
      continue;
    }
    if (message.role === 'assistant' && last?.role === 'assistant') {
      out[out.length - 1] = { ...last, content: [...last.content, ...message.content] };
      continue;
    }
    if (message.role === 'user' && last?.role === 'tool') {
      out.push({ role: 'assistant', content: [textPart(READ)] });
    }
    out.push(message);
  }
  return out;
}
