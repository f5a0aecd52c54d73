import { hideAccountData } from '#server/core/secrets';
import {
  OVERFLOW_CODES,
  OVERFLOW_PATTERNS,
  type ProviderErrorFacts,
  readProviderError,
} from '#server/conversation/step/provider-error-facts';
import { durationText } from '#server/conversation/step/run-tool-call';
import { foreignText } from '#server/core/conversation/part-types/foreign-text';
import { shorten } from '#server/core/text/short-text';
import { visibleText } from '#server/core/text/visible-text';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { SHARED_CONTEXT } from '#server/models/wire/local-fetch';
import { ModelSilentError } from '#server/models/wire/model-fetch';

/** Causes of failed model calls that are handled differently. */
export type ProviderErrorKind =
  | 'context-overflow'
  | 'shared-context'
  | 'rate-limit'
  | 'auth'
  | 'credit'
  | 'no-tools'
  | 'unavailable'
  | 'timeout'
  | 'aborted'
  | 'invalid-request'
  | 'unknown';

/** The kind of an error, and what to do about it. */
interface SortedError {
  readonly kind: ProviderErrorKind;
  /** True: the same request may succeed later. False after an overflow, which needs a compaction first. */
  readonly retryable: boolean;
  /** For people: what happened and what to do. Contains no keys, headers or account ids. */
  readonly message: string;
  /** `message` as data. */
  readonly text: ServerText;
}

/** A failed model call, classified. */
export interface ProviderErrorReport extends SortedError {
  /** Wait that the provider asks for, milliseconds. */
  readonly retryAfterMs?: number;
  /** The context window that an overflow names, tokens. */
  readonly contextWindow?: number | undefined;
  /** HTTP status; undefined if missing. */
  readonly status?: number | undefined;
}

/**
 * Returns whether the same request is repeated without asking; a user who has waited for a silent model is asked first.
 * @param maxWait longest wait that a provider may ask for, milliseconds
 */
export function isRepeated({ retryable, kind, retryAfterMs = 0 }: ProviderErrorReport, maxWait: number): boolean {
  return retryable && kind !== 'timeout' && retryAfterMs <= maxWait;
}

/** A request that a provider refused. */
export interface RefusedRequest {
  /** Its tokens, estimated on the safe side, and those of instructions and tools alone, which no compaction reduces. */
  readonly tokens: number;
  readonly fixedTokens: number;
  readonly contextWindow: number;
  /** The largest request that the model has accepted since the start of the process, in the same unit. */
  readonly largestAccepted: number;
  /** Number of earlier attempts of this request. */
  readonly attempt: number;
}

/** Statuses with which servers refuse a request that is too long, regardless of the message. */
const REFUSING: ReadonlySet<number> = new Set([400, 413, 422, 500]);
/** Kinds of failures that do not state their cause. */
const UNEXPLAINED: ReadonlySet<ProviderErrorKind> = new Set(['invalid-request', 'unavailable', 'unknown']);
/** Share of the window above which a refused request counts as too long. A choice, not measured. */
const NEAR_WINDOW = 0.8;
/** Tokens of messages below which a compaction gains nothing. A choice, not measured. */
const LEAST_MESSAGES = 500;

/**
 * Returns whether a refused request may be too long for the model although the provider's message is not a known one:
 * it is near the window, or larger than any accepted request. A 500 may also be an outage, so a request that is only
 * large is first repeated once.
 */
export function isSuspectedOverflow({ kind, status }: ProviderErrorReport, request: RefusedRequest): boolean {
  if (status === undefined || !REFUSING.has(status) || !UNEXPLAINED.has(kind)) return false;
  const { tokens, fixedTokens, contextWindow, largestAccepted, attempt } = request;
  if (tokens - fixedTokens < LEAST_MESSAGES) return false;
  return tokens >= contextWindow * NEAR_WINDOW || (tokens > largestAccepted && (status !== 500 || attempt > 0));
}

/** Finish reasons that explain an empty answer: the same request would end in the same way. */
export const ENDED_EARLY: ReadonlySet<string> = new Set(['length', 'content-filter']);

/** Returns whether a step without an error ended without a sign of an answer; see EmptyStepError. */
export function isEmptyStep(step: {
  readonly hasContent: boolean;
  readonly usage: object | null;
  readonly finishReason: string;
}): boolean {
  return !step.hasContent && step.usage === null && !ENDED_EARLY.has(step.finishReason);
}

/**
 * A step that ended without any content and without usage: no error part, finish reason `other`. The SDK ends a step in
 * this way if it finds no event in the answer. Thrown by the code that runs the step.
 */
export class EmptyStepError extends Error {
  constructor() {
    super('The model ended its answer without content and without usage.');
    this.name = 'EmptyStepError';
  }
}

/** Finish reason of an answer that its provider could not read completely; Google's for a malformed call. */
export const FAULTY = 'error';

/** A step whose provider could not read the model's answer completely, and reported nothing else. */
export class FaultyStepError extends Error {
  constructor() {
    super("The model's answer could not be read to its end.");
    this.name = 'FaultyStepError';
  }
}

/** Too many requests or tokens at the moment. These texts mention tokens too, and must never count as an overflow. */
const RATE_LIMIT =
  /rate.?limit|too many requests|tokens per (?:min|minute|day|hour)|\b(?:TPM|RPM|TPD|RPD)\b|quota|please wait before trying|throttl|resource.?exhausted/i;
const DAY_MS = 86_400_000;
/** A longer wait is an error of the provider that names it. */
const LONGEST_PAUSE_MS = 366 * DAY_MS;
/** Larger than the account may send in a minute: waiting does not help. */
const ABOVE_ACCOUNT_LIMIT = /request too large .{0,200}tokens per min/i;
const NO_CREDIT = /insufficient (?:credits|balance|funds)|requires more credits|credit balance is too low/i;
const BAD_KEY = /\b(?:invalid|incorrect|missing|no|expired|disabled).{0,20}(?:api.?key|credentials|token provided)/i;
/**
 * Ollama: "... does not support tools"; OpenRouter: "No endpoints found that support tool use"; vLLM: '"auto" tool
 * choice requires --enable-auto-tool-choice'; llama.cpp: "tools param requires --jinja flag"; Google: "Function calling
 * is not enabled for this model"; others: "Tool use is not supported", "Unsupported parameter: 'tools'".
 */
const TOOLS_REFUSED =
  /(?:not|n't) support (?:tool|function)|support tool use|tool.choice.{0,20} requires|tools param requires|function calling is not|tool (?:use|calling|choice) is not supported|unsupported.{0,20}["'`]tools/i;
/** llama-server with --no-jinja, or an old version without --jinja. */
const WITHOUT_JINJA = /requires --jinja/i;
/**
 * Ollama: "llama-server process has terminated: ...: error loading model: ...", "model requires more system memory (5.6
 * GiB) than is available", "unable to load model"; LM Studio: "Failed to load model", "Model loading aborted due to
 * insufficient system resources".
 */
const NOT_LOADED =
  /(?:error|failed|unable|failure).{0,20}load(?:ing)? (?:the )?model|model (?:failed to load|loading (?:failed|aborted))|model requires more system memory/i;
/** llama.cpp, with several models: status 400, "model 'x' not found". */
const NO_MODEL = /\bmodel ['"`]?[^'"`\s]{1,200}['"`]? not found/i;
const FLAGGED = /moderation|flagged|content.?policy|safety/i;
const OVERLOADED = /overloaded|temporarily unavailable|no (?:available|instances)|try again later|server (?:is )?busy/i;
const CONNECTION =
  /cannot connect to api|fetch failed|terminated|socket hang up|other side closed|network error|timed? ?out|premature close/i;
const CONNECTION_CODES =
  /^(?:econn|enotfound|eai_again|epipe|ehostunreach|enetunreach|etimedout|und_err_)|^timeouterror$/;

/** The answer was empty, ended too soon or could not be read; the names are the SDK's. */
const INCOMPLETE_CODES: ReadonlySet<string> = new Set([
  'emptysteperror',
  'faultysteperror',
  'ai_nocontentgeneratederror',
  'ai_nooutputgeneratederror',
  'ai_emptyresponsebodyerror',
  'ai_invalidresponsedataerror',
  'ai_jsonparseerror',
  'ai_typevalidationerror',
]);

/** Maximum nesting of errors. A choice, not measured. */
const MAX_CAUSES = 6;

function silentIn(error: unknown): ModelSilentError | null {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1, cause = cause.cause) {
    if (cause instanceof ModelSilentError) return cause;
  }
  return null;
}

/** The first matching rule decides, so the order matters. */
const rules: readonly ((facts: ProviderErrorFacts) => SortedError | null)[] = [
  aborted,
  noCredit,
  rateLimited,
  sharedContext,
  overflowed,
  unauthorized,
  withoutTools,
  notLoaded,
  refused,
  unavailable,
];

/**
 * Classifies a failed model call by what to do about it: an APICallError, a RetryError (by its last error), an error
 * object or text from inside the stream, a dropped connection, an `EmptyStepError`, a `FaultyStepError`, or anything
 * else. Never throws.
 */
export function classifyProviderError(error: unknown): ProviderErrorReport {
  const silent = silentIn(error);
  if (silent) {
    const { hasBegun, limitMs } = silent;
    return report('timeout', true, serverText('model-silent', { hasBegun, limit: durationText(limitMs) }));
  }
  const facts = readProviderError(error);
  const found = rules.reduce<SortedError | null>((first, rule) => first ?? rule(facts), null);
  const sorted = found ?? report('unknown', facts.sdkRetryable ?? false, serverText('provider-unknown'), facts);
  const { retryAfterMs, status, contextWindow } = facts;
  const namesWindow = sorted.kind === 'context-overflow' && contextWindow !== undefined;
  const isTimed = sorted.retryable && retryAfterMs !== undefined;
  return {
    ...sorted,
    ...(status !== undefined && { status }),
    ...(namesWindow && { contextWindow }),
    ...(isTimed && { retryAfterMs }),
  };
}

/** @param facts quoted in the message if the provider's own text helps */
function report(
  kind: ProviderErrorKind,
  retryable: boolean,
  advice: ServerText,
  facts?: ProviderErrorFacts,
): SortedError {
  const text = facts ? withExcerpt(advice, facts) : advice;
  return { kind, retryable, message: text.text, text };
}

function aborted({ codes }: ProviderErrorFacts) {
  if (!codes.has('aborterror') && !codes.has('responseaborted')) return null;
  return report('aborted', false, serverText('provider-stopped'));
}

function noCredit(facts: ProviderErrorFacts) {
  const { status, codes, text } = facts;
  const spent = status === 402 || codes.has('insufficient_quota') || (status !== 429 && NO_CREDIT.test(text));
  if (!spent) return null;
  return report('credit', false, serverText('provider-no-credit'), facts);
}

function rateLimited(facts: ProviderErrorFacts) {
  const { status, codes, text, retryAfterMs } = facts;
  const limited =
    status === 429 || codes.has('rate_limit_exceeded') || codes.has('throttlingexception') || RATE_LIMIT.test(text);
  if (!limited || hasOverflowCode(codes)) return null;
  const hopeless = ABOVE_ACCOUNT_LIMIT.test(text);
  const advice = hopeless
    ? serverText('provider-above-account-limit')
    : serverText('provider-pause', whenAgain(retryAfterMs));
  return report('rate-limit', !hopeless, advice, facts);
}

/** The time of the next attempt; null if the provider names none, or none that can be right. */
function whenAgain(ms: number | undefined) {
  if (ms === undefined || ms < 1_000 || ms > LONGEST_PAUSE_MS) return { wait: null, until: null, isToday: false };
  return { wait: durationText(ms), until: Date.now() + ms, isToday: ms < DAY_MS };
}

/** The server's context was full because two answers shared it: alone, the same request fits. */
function sharedContext({ codes }: ProviderErrorFacts) {
  if (!codes.has(SHARED_CONTEXT)) return null;
  return report('shared-context', true, serverText('model-shared-memory'));
}

function overflowed({ status, codes, text }: ProviderErrorFacts) {
  const says = hasOverflowCode(codes) || OVERFLOW_PATTERNS.some((pattern) => pattern.test(text));
  // Cerebras and Mistral answer 413 without a body.
  if (status === 401 || status === 403 || !(says || status === 413)) return null;
  return report('context-overflow', false, serverText('provider-overflow'));
}

function unauthorized(facts: ProviderErrorFacts) {
  const { status, codes, text } = facts;
  const missingKey = codes.has('ai_loadapikeyerror') || BAD_KEY.test(text);
  if (status !== 401 && !(status === 403 && !FLAGGED.test(text)) && !(missingKey && (status ?? 400) < 500)) return null;
  return report('auth', false, serverText('provider-key-refused'), facts);
}

function withoutTools(facts: ProviderErrorFacts) {
  const { status = 400, text } = facts;
  if (status === 429 || !TOOLS_REFUSED.test(text)) return null;
  const advice = WITHOUT_JINJA.test(text) ? serverText('provider-no-jinja') : serverText('provider-no-tools');
  return report('no-tools', false, advice, facts);
}

/** The model cannot run on its server; the same request would fail again. */
function notLoaded(facts: ProviderErrorFacts) {
  const { status = 500, text } = facts;
  if (status === 503 || !NOT_LOADED.test(text)) return null;
  return report('unavailable', false, serverText('model-not-loaded'), facts);
}

function refused(facts: ProviderErrorFacts) {
  const { status, text } = facts;
  const isOfRequest = status !== undefined && status < 500 && status !== 408 && status !== 409 && status !== 425;
  if (!isOfRequest) return null;
  const refusal = (advice: ServerText) => report('invalid-request', false, advice, facts);
  if (status === 404 || NO_MODEL.test(text)) return refusal(serverText('provider-no-model'));
  if (status === 403 && FLAGGED.test(text)) return refusal(serverText('provider-refused-content'));
  return OVERLOADED.test(text) ? null : refusal(serverText('provider-refused'));
}

function unavailable(facts: ProviderErrorFacts) {
  const { status, codes, text, retryAfterMs } = facts;
  if ([...codes].some((code) => INCOMPLETE_CODES.has(code)))
    return report('unavailable', true, serverText('provider-incomplete'));
  const connection = CONNECTION.test(text) || [...codes].some((code) => CONNECTION_CODES.test(code));
  if (status === undefined && connection) return report('unavailable', true, serverText('provider-unreachable'));
  if (status === undefined && !OVERLOADED.test(text) && !codes.has('overloaded_error')) return null;
  return report('unavailable', true, serverText('provider-trouble', whenAgain(retryAfterMs)), facts);
}

function hasOverflowCode(codes: ReadonlySet<string>): boolean {
  return [...codes].some((code) => OVERFLOW_CODES.has(code));
}

/** Maximum characters of a provider's own text that are shown. A choice, not measured. */
const MAX_EXCERPT = 300;
/**
 * The message with the provider's own text: without secrets, and escaped so that nothing in it passes for other markup.
 */
function withExcerpt(text: ServerText, facts: ProviderErrorFacts): ServerText {
  const words = foreignText(visibleText(hideAccountData(facts.summary)))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return words === '' ? text : serverText('provider-said', { text, quote: shorten(words, MAX_EXCERPT) });
}
