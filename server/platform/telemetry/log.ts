import pino from 'pino';
import type { DestinationStream, Logger } from 'pino';
import type { Env } from '#server/platform/config/env';
import { percentDecoded } from '#server/core/addresses';
import { ProviderError } from '#server/core/errors';
import { createHider, hideAccountData } from '#server/core/secrets';
import { logIds } from '#server/platform/telemetry/log-ids';

/** Variables whose values never appear in a log line. */
const SECRET_NAMES = [
  'ANTHROPIC_API_KEY',
  'AUTH_SECRET',
  'DATABASE_AUTH_TOKEN',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENAI_API_KEY',
  'OPENAI_COMPATIBLE_API_KEY',
  'OPENROUTER_API_KEY',
] as const satisfies readonly (keyof Env)[];

/** The variables of the environment that the log uses: its level, and secrets that it must not write. */
interface LogEnv extends Partial<Record<(typeof SECRET_NAMES)[number], string | undefined>> {
  readonly LOG_LEVEL: Env['LOG_LEVEL'];
  readonly DATABASE_URL: string;
  readonly REDIS_URL?: string | undefined;
  readonly SMTP_URL?: string | undefined;
}

/** Maximum number of nested causes that are logged. Usual are three: the provider's call, its connection, the system call. */
const MAX_DEPTH = 5;
/** Maximum characters of a message: a provider may answer with a whole page. */
const MAX_MESSAGE = 2_000;

/**
 * Creates the log, which writes lines of JSON. No line contains a secret: an error is logged with its message and stack frames only
 * (never the request, its headers, or the values of a query), and each line is searched for secrets before it is
 * written.
 * @param destination default: standard output
 */
export function createLog(env: LogEnv, destination?: DestinationStream): Logger {
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

/** Warns that the database did not exist and was created: the operator may have expected an existing one. */
export function warnOfNewDatabase(log: Logger, database: string): void {
  log.warn({ database }, 'There was no database here: a new, empty one was made');
}

function secretsOf(env: LogEnv): (string | undefined)[] {
  const passwords = [env.REDIS_URL, env.DATABASE_URL, env.SMTP_URL].map((url) =>
    url !== undefined && URL.canParse(url) ? percentDecoded(new URL(url).password) : undefined,
  );
  return [...SECRET_NAMES.map((name) => env[name]), ...passwords];
}

/**
 * An error in the form of the log.
 * @param ofProvider true if the error or what it caused is of a model provider: its message may contain account data
 */
function describeError(error: unknown, depth = 0, ofProvider = isOfProvider(error)): unknown {
  const safeText = (text: string) => (ofProvider ? hideAccountData(shortMessage(text)) : shortMessage(text));
  if (!(error instanceof Error)) return typeof error === 'string' ? safeText(error) : typeof error;
  const { code, status, statusCode } = error as { code?: unknown; status?: unknown; statusCode?: unknown };
  const facts = Object.entries({ code, status, statusCode }).filter(([, value]) => isShort(value));
  const causes = [error.cause, ...(error instanceof AggregateError ? error.errors.slice(0, 3) : [])];
  const shownCauses = depth < MAX_DEPTH ? causes.filter((cause) => cause !== undefined) : [];
  return {
    type: error.name,
    message: safeText(error.message),
    ...Object.fromEntries(facts),
    stack: framesOf(error),
    ...(shownCauses.length > 0 && {
      causes: shownCauses.map((cause) => describeError(cause, depth + 1, ofProvider || isOfProvider(cause))),
    }),
  };
}

/** The errors of the AI SDK have names with a common prefix. */
function isOfProvider(error: unknown): boolean {
  return error instanceof ProviderError || (error instanceof Error && error.name.startsWith('AI_'));
}

function isShort(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= 100);
}

/** A message without the parameters of a query, with which drizzle ends it, and not longer than the maximum. */
function shortMessage(message: string): string {
  return message
    .replace(/\nparams: [\s\S]*$/, '')
    .slice(0, MAX_MESSAGE)
    .toWellFormed();
}

/** The frames of the stack without the message at its beginning. */
function framesOf({ stack }: Error): string {
  return (stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}
