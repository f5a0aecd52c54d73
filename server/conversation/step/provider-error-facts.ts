import { APICallError, RetryError, TypeValidationError } from 'ai';
import { parseJson } from '#server/core/json';

/** Facts read from a provider's failure of any shape. */
export interface ProviderErrorFacts {
  /** HTTP status, also if only an error object contains it; undefined if there is no status. */
  readonly status: number | undefined;
  /** Every machine-readable code, type and name found, lower case. */
  readonly codes: ReadonlySet<string>;
  /** All messages found, one per line: the SDK's, the response's, the upstream provider's. Not for display. */
  readonly text: string;
  /** The most informative message, for an excerpt. */
  readonly summary: string;
  /** The wait that the provider asks for; undefined if it names none or one that is over. */
  readonly retryAfterMs: number | undefined;
  /** The context window that the error names, tokens; undefined if it names none. */
  readonly contextWindow: number | undefined;
  /** The SDK's own judgement; undefined if it has none. */
  readonly sdkRetryable: boolean | undefined;
}

interface Collected {
  status: number | undefined;
  readonly codes: Set<string>;
  readonly texts: string[];
  retryAfterMs: number | undefined;
  /** Wait until a rate limit is reset, which servers also send where none is used up. */
  resetMs: number | undefined;
  contextWindow: number | undefined;
  sdkRetryable: boolean | undefined;
}

/** HTTP status of a used-up rate limit. */
const RATE_LIMITED = 429;
/** A longer wait is a mistake, such as a time in another unit; milliseconds. Quotas are reset at least every month. */
const LONGEST_WAIT_MS = 32 * 86_400_000;
/** Errors nest (retry > call > cause > socket error); deeper than this is a cycle. */
const MAX_DEPTH = 6;
/** Enough for any error message; a proxy may answer with a whole web page. Characters. */
const MAX_TEXT = 10_000;
const NESTED = ['lastError', 'data', 'error', 'cause', 'metadata', 'raw', 'details', 'detail'] as const;

/** Reads an error of any of the shapes that providers and the SDK produce. Never throws. */
export function readProviderError(error: unknown): ProviderErrorFacts {
  const found: Collected = {
    status: undefined,
    codes: new Set(),
    texts: [],
    retryAfterMs: undefined,
    resetMs: undefined,
    contextWindow: undefined,
    sdkRetryable: undefined,
  };
  collect(error, found, 0);
  const text = [...new Set(found.texts)].join('\n');
  const resetMs = found.status === RATE_LIMITED ? found.resetMs : undefined;
  // A wait of 0 names none: with an immediate retry, all attempts would be used up while the provider is still busy.
  const waitMs = found.retryAfterMs || retryAfterInText(text) || resetMs || undefined;
  return {
    status: found.status,
    codes: found.codes,
    text,
    // OpenRouter's own message is often just "Provider returned error"; the message that it quotes is more informative.
    summary: found.texts.find((line) => !/^provider returned error$/i.test(line)) ?? found.texts[0] ?? '',
    retryAfterMs: waitMs !== undefined && waitMs <= LONGEST_WAIT_MS ? waitMs : undefined,
    contextWindow: found.contextWindow ?? windowInText(text),
    sdkRetryable: found.sdkRetryable,
  };
}

function collect(value: unknown, found: Collected, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') return collectText(value, found, depth);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) return value.slice(0, 10).forEach((item) => collect(item, found, depth + 1));

  // An event that the SDK does not know: the provider's text in it is the failure.
  if (TypeValidationError.isInstance(value)) {
    const before = found.texts.length;
    collect(value.value, found, depth + 1);
    if (found.texts.length > before) {
      // Unless the failure states its cause, a retry may succeed.
      if (found.status === undefined) found.sdkRetryable ??= true;
      return;
    }
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const call = APICallError.isInstance(value) ? value : null;
  // The response's own headers are preferred to those that its body quotes.
  if (call) collectWaits(call.responseHeaders, found);
  // The response's own text is preferred to the SDK's message, which may contain only the status.
  const body = call?.responseBody === undefined ? undefined : parseJson(call.responseBody);
  if (body !== undefined) collect(body, found, depth + 1);
  if (typeof fields.message === 'string') collectText(fields.message, found, depth);
  for (const code of [fields.statusCode, fields.status, fields.code]) collectCode(code, found);
  for (const code of [fields.type, fields.name]) collectCode(code, found);
  // llama.cpp's field, also if Ollama passes it on.
  if (typeof fields.n_ctx === 'number' && fields.n_ctx > 0) found.contextWindow ??= fields.n_ctx;
  if (typeof fields.isRetryable === 'boolean') found.sdkRetryable ??= fields.isRetryable;
  if (body === undefined && call?.responseBody !== undefined) collectText(call.responseBody, found, depth);
  // OpenRouter quotes the upstream provider's headers in the body.
  if (typeof fields.headers === 'object' && fields.headers !== null)
    collectWaits(fields.headers as Readonly<Record<string, unknown>>, found);
  if (RetryError.isInstance(value) && value.reason === 'abort') found.codes.add('aborterror');
  for (const name of NESTED) collect(fields[name], found, depth + 1);
}

function collectText(value: string, found: Collected, depth: number): void {
  const text = value.trim();
  if (text === '') return;
  if (/^[[{]/.test(text)) {
    const parsed = parseJson(text);
    if (parsed !== undefined) return collect(parsed, found, depth + 1);
  }
  // A proxy quotes the error of the upstream server: `Error code: 400 - {"error": ...}`.
  const quoted = /\{[\s\S]*\}/.exec(text)?.[0];
  const inner = quoted === undefined || quoted.length > MAX_TEXT ? undefined : parseJson(quoted);
  if (inner !== undefined) collect(inner, found, depth + 1);
  found.texts.push(text.slice(0, MAX_TEXT));
}

function collectCode(value: unknown, found: Collected): void {
  if (typeof value === 'string' && value !== '') found.codes.add(value.toLowerCase());
  const status = typeof value === 'string' ? Number(value) : value;
  // 200 is ignored: OpenRouter sends errors with it.
  if (typeof status === 'number' && status >= 400 && status <= 599) found.status ??= status;
}

function collectWaits(sent: Readonly<Record<string, unknown>> | undefined, found: Collected): void {
  const headers = new Map(
    Object.entries(sent ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    ),
  );
  found.retryAfterMs ||= retryAfterInHeaders(headers);
  found.resetMs ||= resetInHeaders(headers);
}

function retryAfterInHeaders(headers: ReadonlyMap<string, string>): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, Math.ceil(ms));
  const value = headers.get('retry-after');
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}

/** Smallest numbers of `X-RateLimit-Reset` that are a time in epoch seconds, and in epoch milliseconds (of 2001). */
const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e12;

/**
 * The wait until a used-up limit is reset. `X-RateLimit-Reset` is a time in epoch milliseconds at OpenRouter, in epoch
 * seconds or a number of seconds at others; OpenAI and Groq name a duration for requests and one for tokens (`6m0s`).
 */
function resetInHeaders(headers: ReadonlyMap<string, string>): number | undefined {
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
  if (Number.isFinite(reset)) {
    if (reset < EPOCH_SECONDS) return Math.max(0, Math.ceil(reset * 1_000));
    return Math.max(0, Math.round(reset < EPOCH_MS ? reset * 1_000 : reset) - Date.now());
  }
  const usedUp = ['requests', 'tokens'].filter((what) => headers.get(`x-ratelimit-remaining-${what}`) === '0');
  const waits = usedUp.map((what) => durationMs(headers.get(`x-ratelimit-reset-${what}`) ?? ''));
  return waits.length > 0 ? Math.max(...waits) : undefined;
}

/** Positions of the window size in messages about it: see OVERFLOW_PATTERNS. */
const WINDOW_NUMBERS: readonly RegExp[] = [
  /(?:maximum )?(?:context|prompt|model) length (?:is|of) (\d[\d,]*)/i,
  /available context size \((\d+)/i,
  /context (?:window|size) of (\d[\d,]*)/i,
  /(\d{3,}) maximum/i,
  /maximum number of tokens allowed \((\d+)/i,
  /exceed(?:s|ed)? the limit of (\d+)/i,
  /input length should be \[\d+, ?(\d+)/i,
  /model token limit: (\d+)/i,
];

function windowInText(text: string): number | undefined {
  const named = WINDOW_NUMBERS.map((pattern) => pattern.exec(text)?.[1]).find((number) => number !== undefined);
  return named === undefined ? undefined : Number(named.replaceAll(',', ''));
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** "Please try again in 1m12.5s", "in 174ms", "retry in 34.07s". */
function retryAfterInText(text: string): number | undefined {
  const sentence = /(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|s|m|h)\s?)+)/i.exec(text)?.[1];
  return sentence === undefined ? undefined : durationMs(sentence);
}

/** `1m12.5s`; 0 for a text without a duration. */
function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gi)];
  return Math.round(parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0), 0));
}

/** Providers' messages that a request does not fit the model's context window, collected from their issue trackers. */
export const OVERFLOW_PATTERNS: readonly RegExp[] = [
  // OpenAI, OpenRouter, vLLM, DeepSeek: "maximum context length is 128000 tokens"
  /maximum context length/i,
  // OpenAI (Responses API)
  /exceeds? the (?:model'?s )?(?:maximum )?context (?:window|length|size|limit)/i,
  // Anthropic: "prompt is too long: 209353 tokens > 200000 maximum"; vLLM: "The prompt (total length 25938) is too long"
  /prompt (?:\(.{0,60}\) )?(?:is )?too long/i,
  // Anthropic: "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
  /exceed context limit/i,
  // Amazon Bedrock
  /input is too long for (?:the )?requested model/i,
  // Google: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)"
  /input token count.{0,40}exceeds the maximum/i,
  // xAI: "This model's maximum prompt length is 131072 but the request contains 537812 tokens"
  /maximum prompt length is \d/i,
  // LM Studio: "Trying to keep the first 111490 tokens when context the overflows", "the model is loaded with ..."
  /tokens when (?:the )?context (?:the )?overflows/i,
  /tokens to keep from the initial prompt is greater than the context length/i,
  /cannot truncate prompt with n_keep/i,
  // llama.cpp and llama-cpp-python
  /exceeds? the available context size/i,
  /requested tokens \(\d+\) exceed context window/i,
  // Ollama: "input length exceeds the context length", "prompt too long; exceeded max context length"
  /(?:input|prompt)(?: length)? exceed(?:s|ed)? (?:the |max )?(?:max )?context length/i,
  /exceeded max context length/i,
  // Ollama, /api/chat: "the prompt is longer than the context length currently available to the model"
  /longer than the context length/i,
  // vLLM: "The decoder prompt (length 21535) is longer than the maximum model length of 16384"
  /longer than the maximum model length/i,
  // Mistral: "Prompt contains 140000 tokens ... too large for model with 131072 maximum context length"
  /too large for model with \d+/i,
  // Hugging Face TGI: "`inputs` tokens + `max_new_tokens` must be <= 4096", "must have less than 2048 tokens"
  /`inputs`.{0,60}(?:must be <=|must have less than) \d+/i,
  // Groq, Together: "Please reduce the length of the messages or completion"
  /reduce the length of the (?:input )?(?:messages|prompt)/i,
  // Moonshot: "Your request exceeded model token limit: 131072"
  /exceeded model token limit/i,
  /context[ _](?:length|window|size)[ _](?:has been )?exceed/i,
  // llama.cpp, older versions: "Input prompt is too big compared to KV size. Please try increasing KV size."
  /too big compared to KV size/i,
  // Alibaba's DashScope: "Range of input length should be [1, 30720]"
  /range of input length should be/i,
  // LM Studio: "Reached context length of 4096 tokens with model (arch: x) that does not currently support ..."
  /reached context length of \d/i,
  // Zhipu: "Prompt exceeds max length", in Chinese "Prompt 超长"
  /prompt (?:超长|exceeds max length)/i,
  // GitHub Copilot: "prompt token count of 128439 exceeds the limit of 128000"
  /token count of \d+ exceeds the limit/i,
  // Ollama: "the prompt is longer than the context length currently available to the model"
  /longer than the context length/i,
];

/** Error codes with the same meaning. */
export const OVERFLOW_CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'model_context_window_exceeded',
  'token_limit_exceeded',
  'request_too_large',
  // GitHub Copilot
  'model_max_prompt_tokens_exceeded',
  // Zhipu
  '1261',
]);
