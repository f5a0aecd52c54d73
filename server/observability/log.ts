import { AsyncLocalStorage } from 'node:async_hooks';
import pino from 'pino';
import type { DestinationStream, Logger } from 'pino';
import type { Env } from '#server/config/env';
import { percentDecoded } from '#server/core/addresses';
import { ProviderError } from '#server/core/errors';
import { createHider, hideAccountData } from '#server/core/secrets';

/** Variables whose values are in no line. */
const SECRET_NAMES = [
  'ANTHROPIC_API_KEY',
  'AUTH_SECRET',
  'DATABASE_AUTH_TOKEN',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENAI_API_KEY',
  'OPENAI_COMPATIBLE_API_KEY',
  'OPENROUTER_API_KEY',
] as const satisfies readonly (keyof Env)[];

type Secrets = Partial<Pick<Env, (typeof SECRET_NAMES)[number]>> & Pick<Env, 'DATABASE_URL' | 'REDIS_URL' | 'SMTP_URL'>;

/** Errors nest: a provider's call, its connection, the system's. */
const MAX_DEPTH = 5;
/** A provider may answer with a whole page. Characters. */
const MAX_MESSAGE = 2_000;

/**
 * The log, as lines of JSON. No line holds a secret: of errors only what they say and where is written (never the
 * request, its headers, or the values of a query), and each line is searched before it leaves.
 * @param destination default: standard output
 */
export function createLog(env: Secrets & Pick<Env, 'LOG_LEVEL'>, destination?: DestinationStream): Logger {
  const hide = createHider(secretsOf(env));
  const options = {
    level: env.LOG_LEVEL,
    base: null,
    mixin: logIds,
    serializers: { err: (error: unknown) => describeError(error) },
    hooks: { streamWrite: (line: string) => `${JSON.stringify(hide(JSON.parse(line)))}\n` },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Tells whoever expected a site that there was none at this address. */
export function warnOfNewDatabase(log: Pick<Logger, 'warn'>, database: string): void {
  log.warn({ database }, 'There was no database here: a new, empty one was made');
}

function secretsOf(env: Secrets): (string | undefined)[] {
  const passwords = [env.REDIS_URL, env.DATABASE_URL, env.SMTP_URL].map((url) =>
    url !== undefined && URL.canParse(url) ? percentDecoded(new URL(url).password) : undefined,
  );
  return [...SECRET_NAMES.map((name) => env[name]), ...passwords];
}

/** @param ofProvider true if it says what a provider of models said, as do its causes */
function describeError(error: unknown, depth = 0, ofProvider = isOfProvider(error)): unknown {
  const told = (text: string) => (ofProvider ? hideAccountData(brief(text)) : brief(text));
  if (!(error instanceof Error)) return typeof error === 'string' ? told(error) : typeof error;
  const { code, status, statusCode } = error as { code?: unknown; status?: unknown; statusCode?: unknown };
  const facts = Object.entries({ code, status, statusCode }).filter(([, value]) => isShort(value));
  const causes = [error.cause, ...(error instanceof AggregateError ? error.errors.slice(0, 3) : [])];
  const because = depth < MAX_DEPTH ? causes.filter((cause) => cause !== undefined) : [];
  return {
    type: error.name,
    message: told(error.message),
    ...Object.fromEntries(facts),
    stack: framesOf(error),
    ...(because.length > 0 && {
      causes: because.map((cause) => describeError(cause, depth + 1, ofProvider || isOfProvider(cause))),
    }),
  };
}

/** The errors of the AI SDK have names with a prefix of their own. */
function isOfProvider(error: unknown): boolean {
  return error instanceof ProviderError || (error instanceof Error && error.name.startsWith('AI_'));
}

function isShort(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= 100);
}

/** Drizzle ends the message of a failed query with the values of its parameters. */
function brief(message: string): string {
  return message
    .replace(/\nparams: [\s\S]*$/, '')
    .slice(0, MAX_MESSAGE)
    .toWellFormed();
}

/** A stack begins with the message. */
function framesOf({ stack }: Error): string {
  return (stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}

/** Ids that connect a log line with a request, a user or a turn. */
export interface LogIds {
  readonly requestId?: string | undefined;
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly turnId?: string | undefined;
}

/** Routes, pages and instrumentation each get their own instance of this module; what runs is one for all. */
const globals = globalThis as typeof globalThis & { throughlineLogIds?: AsyncLocalStorage<LogIds> };
const storage = (globals.throughlineLogIds ??= new AsyncLocalStorage<LogIds>());

/** Everything that is logged by `work`, and by what it starts, carries these ids beside those that hold already. */
export function withLogIds<T>(ids: LogIds, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...ids }, work);
}

/** Adds to the ids that hold here what has been found out since. */
export function nameLogIds(ids: LogIds): void {
  const held = storage.getStore();
  if (held) Object.assign(held, ids);
}

/** The ids that hold here. */
export function logIds(): LogIds {
  return storage.getStore() ?? {};
}
