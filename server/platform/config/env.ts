import { z } from 'zod';
import {
  conflicts,
  type EngineSettings,
  type SettingName,
  settingNames,
  settingOf,
  settingsReference,
} from '#server/context/settings/context-settings';
import {
  type ConstantName,
  constantNames,
  engineConstants,
  type EngineOverrides,
  engineOverridesTextSchema,
  isConstantName,
} from '#server/context/settings/engine-constants';
import { MAX_SETTING_VALUE } from '#server/context/settings/setting-definitions';
import { parseOrigins } from '#server/core/origins';
import { ThroughlineError } from '#server/core/errors';
import { authModes, misspelledAuthMode } from '#server/platform/config/auth-mode';
import { parseSender } from '#server/platform/mail/sender';

/** The environment is invalid: the server does not start. The message names every invalid variable. */
export class InvalidEnvironmentError extends ThroughlineError {
  static override readonly code = 'invalid_environment';

  constructor(problems: readonly string[]) {
    super(`The environment is not right. Correct these variables and start again:\n- ${problems.join('\n- ')}`);
  }
}

/** Schema of a variable with a whole number. */
function wholeNumber(min: number, max: number, description: string) {
  const error = `must be a whole number from ${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error))
    .describe(description);
}

/** Schema of a variable with one of several words. */
function choice<const T extends readonly string[]>(values: T, description: string) {
  return z.enum(values, { error: `must be one of: ${values.join(', ')}` }).describe(description);
}

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' });
/** The default path of a model server's interface, for an address without a path. */
export const DEFAULT_API_PATH = '/v1';
const withDefaultPath = (url: string) => (new URL(url).pathname === '/' ? new URL(DEFAULT_API_PATH, url).href : url);
const text = z.string();

/** The variables of the process. Their descriptions are the rows of docs/reference/configuration.md. */
const processVariables = {
  DATABASE_URL: z
    .string()
    .regex(/^(file:|libsql:\/\/|https?:\/\/).+/, 'must begin with file:, libsql://, https:// or http://')
    .default('file:.data/throughline.db')
    .describe('Where everything is stored: an embedded database file, or a libSQL server to share it.'),
  DATABASE_AUTH_TOKEN: text.optional().describe('Token of the libSQL server; not needed for a file.'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a URL that begins with redis:// or rediss://' })
    .optional()
    .describe(
      'Redis that carries streams and events between several instances on one database; one instance needs none.',
    ),
  OPENROUTER_API_KEY: text.optional().describe('Key for models by OpenRouter, named vendor/model.'),
  OPENROUTER_BASE_URL: httpUrl
    .default('https://openrouter.ai/api/v1')
    .describe('Address of OpenRouter, or of a server that speaks its protocol.'),
  ANTHROPIC_API_KEY: text.optional().describe("Key for Anthropic's own interface: models named anthropic/model."),
  ANTHROPIC_BASE_URL: httpUrl
    .transform(withDefaultPath)
    .default('https://api.anthropic.com/v1')
    .describe('Address of Anthropic, or of a server that speaks its protocol.'),
  OPENAI_API_KEY: text.optional().describe("Key for OpenAI's own interface: models named openai/model."),
  OPENAI_BASE_URL: httpUrl
    .default('https://api.openai.com/v1')
    .describe('Address of OpenAI, or of a server that speaks its Responses protocol.'),
  GOOGLE_GENERATIVE_AI_API_KEY: text.optional().describe('Key for Google AI Studio: models named google/model.'),
  GOOGLE_GENERATIVE_AI_BASE_URL: httpUrl
    .default('https://generativelanguage.googleapis.com/v1beta')
    .describe('Address of Google AI, or of a server that speaks its protocol.'),
  OPENAI_COMPATIBLE_BASE_URL: httpUrl
    .transform(withDefaultPath)
    .optional()
    .describe(
      'Address of an OpenAI-compatible server (LM Studio, Ollama, llama.cpp, vLLM); its models are named local/model.',
    ),
  OPENAI_COMPATIBLE_API_KEY: text.optional().describe('Key for that server, if it needs one.'),
  FIRST_TOKEN_TIMEOUT: wholeNumber(
    1,
    86_400,
    'Longest time before the first token of an answer, seconds; unset: 180, of the OpenAI-compatible server 600.',
  ).optional(),
  IDLE_TIMEOUT: wholeNumber(
    1,
    86_400,
    'Longest pause within an answer, seconds; unset: 120, of the OpenAI-compatible server 600.',
  ).optional(),
  PORT: wholeNumber(0, 65_535, 'Port of the web server; 0 takes any free one.').default(3000),
  ALLOWED_ORIGINS: text
    .transform((value, context) => {
      const origins = parseOrigins(value);
      if (origins) return origins;
      context.addIssue({ code: 'custom', message: 'must be origins like https://media.example, separated by commas' });
      return z.NEVER;
    })
    .describe(
      'Other origins whose pictures the assistant shows and whose links it opens without asking, separated by commas.',
    )
    .default([]),
  HOST: text
    .regex(/^[0-9A-Za-z.:-]{1,255}$/, 'must be an address or the name of a host')
    .default('127.0.0.1')
    .describe('Address that the web server listens on; another one than this machine only with AUTH_MODE=accounts.'),
  AUTH_MODE: choice(
    authModes,
    'Who may use the server. local: this machine only, without sign-in. accounts: people who sign in, and API keys.',
  ).default('local'),
  AUTH_SECRET: text
    .min(32, 'must have at least 32 characters; make one with: openssl rand -base64 32')
    .optional()
    .describe('Signs the cookies of sign-ins and encrypts stored secrets; at least 32 random characters.'),
  PUBLIC_URL: httpUrl
    .refine((url) => URL.parse(url)?.pathname === '/', 'must be an origin, like https://cms.example, without a path')
    .optional()
    .describe('Where browsers reach this server: https://cms.example. Needed for AUTH_MODE=accounts.'),
  FORMER_AUTH_SECRET: text
    .transform((value) =>
      value
        .split(',')
        .map((secret) => secret.trim())
        .filter(Boolean),
    )
    .describe(
      'Former values of AUTH_SECRET, separated by commas: what they signed and encrypted still works, and is renewed.',
    )
    .default([]),
  OIDC_ISSUER: httpUrl
    .optional()
    .describe(
      'OpenID Connect provider that people may sign in with, by its issuer: https://login.example/realms/club.',
    ),
  OIDC_CLIENT_ID: text.optional().describe('Id of this server at that provider.'),
  OIDC_CLIENT_SECRET: text.optional().describe('Its secret there.'),
  OIDC_NAME: text
    .max(60)
    .optional()
    .describe('What the sign-in page calls that provider; unset: the name of its host.'),
  OIDC_NEW_PEOPLE: choice(
    ['off', 'author', 'editor'],
    'Role of people who sign in with that provider and have no account yet. off: only people who were added may sign in.',
  ).default('off'),
  SITE_URL: httpUrl
    .refine((url) => URL.parse(url)?.pathname === '/', 'must be an origin, like https://kiln.example, without a path')
    .optional()
    .describe(
      'Where visitors reach the published site: https://kiln.example, another host than that of PUBLIC_URL. Unset: below /site.',
    ),
  TRUST_PROXY: choice(
    ['on', 'off'],
    'Whether your own proxy forwards the requests: on trusts the last address of X-Forwarded-For.',
  ).default('off'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be a URL that begins with smtp:// or smtps://' })
    .refine((url) => URL.parse(url)?.hostname !== '', 'must name a server: smtps://name:password@mail.example')
    .optional()
    .describe(
      'Mail server for outgoing mail: smtps://name:password@mail.example (port 465), or smtp:// (587, STARTTLS). Unset: nothing is mailed.',
    ),
  MAIL_FROM: text
    .max(350)
    .refine(
      (value) => parseSender(value) !== null,
      'must be one address, like Club <post@club.example>; a name with any of ()<>@,;:" needs double quotes: "Club: North" <post@club.example>',
    )
    .optional()
    .describe(
      'Sender of that mail, as recipients see it: Club <post@club.example>. A name with special characters stands in double quotes.',
    ),
  REQUESTS_PER_MINUTE: wholeNumber(
    1,
    MAX_SETTING_VALUE,
    'How many requests a minute a user or an API key may make, other than to `/v1`; the owner of local mode has no limit.',
  ).default(600),
  TURNS_PER_MINUTE: wholeNumber(
    1,
    MAX_SETTING_VALUE,
    'How many turns, summaries and prepared conversations a minute a user or an API key may start; not requests to `/v1`.',
  ).default(60),
  MODEL_REQUESTS_PER_MINUTE: wholeNumber(
    1,
    MAX_SETTING_VALUE,
    'How many requests to `/v1` a user or an API key may make: this many at once, refilled evenly within a minute; the owner of local mode has no limit.',
  ).default(1_200),
  RUNNING_TURNS: wholeNumber(
    1,
    1_000,
    'How many turns, completions, summaries and prepared conversations of one user may run at the same time; not summaries within a turn.',
  ).default(10),
  OPEN_STREAMS: wholeNumber(
    1,
    100_000,
    'How many event streams (answers and session events) a user may have open at the same time on each server; those of all API keys of that user count together, separately from the browser.',
  ).default(100),
  PAGES_PER_MINUTE: wholeNumber(
    1,
    MAX_SETTING_VALUE,
    'How many pages a minute are rendered for one address (of IPv6 one /64 network); not counted in local mode.',
  ).default(1_200),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('Where OpenTelemetry traces and metrics are sent (OTLP over HTTP); unset: nothing is collected.'),
  LOG_LEVEL: choice(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'Lowest level of log lines that are written.',
  ).default('info'),
  OFFLINE_CHUNK_DELAY_MS: wholeNumber(
    0,
    10_000,
    'Pause between two pieces of an answer of the basic assistant, milliseconds.',
  ).default(15),
  SHUTDOWN_LIMIT_MS: wholeNumber(
    0,
    600_000,
    'Time that running steps get to finish when the server stops, milliseconds.',
  ).default(10_000),
  TURN_LEASE_MS: wholeNumber(
    500,
    600_000,
    'Time after the last heartbeat of a server until its turns count as abandoned, milliseconds; the same on every instance.',
  ).default(15_000),
  TURN_HEARTBEAT_MS: wholeNumber(
    50,
    200_000,
    'Interval of the heartbeats for running turns, milliseconds; at most a third of TURN_LEASE_MS.',
  ).default(2_000),
  MCP_STDIO: choice(
    ['on', 'off'],
    'Whether programs may be run as tool servers. on: every administrator who signs in can run any program here. Unset: on with AUTH_MODE=local, off with accounts.',
  ).optional(),
  CONTEXT_WINDOW: wholeNumber(
    1_000,
    MAX_SETTING_VALUE,
    'Context window of all models, tokens; replaces the detected ones (small machines, tests).',
  ).optional(),
};

const processSchema = z.object(processVariables);

const OVERRIDES_DESCRIPTION =
  'Other values for constants of the engine, as JSON: {"usableShare": 0.8}. For experiments; server/context/settings/engine-constants.ts has them all.';

const envSchema = processSchema.extend({
  ...Object.fromEntries(
    settingNames.map((name) => {
      const { variable, textSchema, default: value } = settingOf(name);
      return [variable, textSchema.default(value)];
    }),
  ),
  // Constants that were settings in the past: their variables still apply.
  ...Object.fromEntries(
    constantNames.map((name) => [engineConstants[name].variable, engineConstants[name].textSchema.optional()]),
  ),
  ENGINE_OVERRIDES: engineOverridesTextSchema.default({}),
});

/** The validated environment: settings of the process and of the engine, by the name of their variable. */
export type Env = z.infer<typeof processSchema> & { readonly ENGINE_OVERRIDES: EngineOverrides };

/**
 * Validates the environment. Empty and blank values count as unset; other variables are ignored.
 * @param source usually `process.env`
 * @throws InvalidEnvironmentError that names every invalid variable
 */
export function parseEnv(source: Readonly<Record<string, string | undefined>>): Env {
  const given = Object.entries(source).flatMap(([name, value]) => {
    const trimmed = value?.trim() ?? '';
    return trimmed === '' ? [] : [[name, trimmed]];
  });
  const misspelled = misspelledAuthMode(given);
  if (misspelled !== null) throw new InvalidEnvironmentError([misspelled]);
  const parsed = envSchema.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    // Only the names of the variable and of a constant: the rest of a path comes from a value, which may be a secret.
    const problems = parsed.error.issues.map(({ path: [variable, inner], message }) =>
      [variable, ...(typeof inner === 'string' && isConstantName(inner) ? [inner] : []), message].join(' '),
    );
    const invalid = new Set(parsed.error.issues.map(({ path: [variable] }) => variable));
    const others = envSchema.safeParse(Object.fromEntries(given.filter(([name = '']) => !invalid.has(name))));
    // If one variable is invalid, the others are still checked against each other. The checks that involve the invalid
    // one are skipped.
    const conflicting = others.success ? problemsBetween(others.data) : [];
    const independent = conflicting.filter(
      (problem) => !(problem.match(/[A-Z][A-Z_]+/g) ?? []).some((name) => invalid.has(name)),
    );
    throw new InvalidEnvironmentError([...new Set([...problems, ...independent])]);
  }
  const env = parsed.data as unknown as Env;
  const problems = problemsBetween(env);
  if (problems.length > 0) throw new InvalidEnvironmentError(problems);
  return env;
}

/** Conflicts between variables that are valid individually, as sentences that name all of them. */
function problemsBetween(env: Env): string[] {
  const nameOf = (name: SettingName | ConstantName) =>
    isConstantName(name) ? `ENGINE_OVERRIDES ${name}` : settingOf(name).variable;
  const problems = conflicts(engineSettingsOf(env), nameOf).map(({ lower, problem }) => `${nameOf(lower)} ${problem}`);
  if (env.TURN_HEARTBEAT_MS * 3 > env.TURN_LEASE_MS)
    problems.push(`TURN_HEARTBEAT_MS must be at most a third of TURN_LEASE_MS (${env.TURN_LEASE_MS})`);
  if ((env.SMTP_URL === undefined) !== (env.MAIL_FROM === undefined))
    problems.push('SMTP_URL and MAIL_FROM must be set together, or neither');
  problems.push(...accessProblems(env));
  return problems;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Conflicts between the variables that decide who can reach and use the server. */
function accessProblems(env: Env): string[] {
  const { AUTH_MODE, AUTH_SECRET, PUBLIC_URL, SITE_URL, HOST, TRUST_PROXY } = env;
  if (AUTH_MODE === 'local') {
    return [
      ...(LOOPBACK.test(HOST)
        ? []
        : [
            'HOST must be this machine (127.0.0.1) with AUTH_MODE=local: everyone who reaches the server would have all rights',
          ]),
      ...(TRUST_PROXY === 'off'
        ? []
        : ['TRUST_PROXY must be off with AUTH_MODE=local, which refuses what comes through a proxy']),
      ...(SITE_URL === undefined
        ? []
        : ['SITE_URL needs AUTH_MODE=accounts: in local mode only requests to this machine are answered']),
    ];
  }
  return [
    ...(AUTH_SECRET === undefined ? ['AUTH_SECRET must be set with AUTH_MODE=accounts'] : []),
    ...(PUBLIC_URL === undefined ? ['PUBLIC_URL must be set with AUTH_MODE=accounts'] : []),
    ...(isPartOf([env.OIDC_ISSUER, env.OIDC_CLIENT_ID, env.OIDC_CLIENT_SECRET])
      ? ['OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together, or none of them']
      : []),
    ...(PUBLIC_URL !== undefined && SITE_URL !== undefined && new URL(PUBLIC_URL).host === new URL(SITE_URL).host
      ? ['SITE_URL must be another host than PUBLIC_URL: nothing of the app is served there']
      : []),
  ];
}

/** True if some are set and some are not. */
function isPartOf(values: readonly (string | undefined)[]): boolean {
  const set = values.filter((value) => value !== undefined);
  return set.length > 0 && set.length < values.length;
}

/** True if programs may be run as tool servers. Default: only in local mode, where no other machine can reach this one. */
export function canRunPrograms({ MCP_STDIO, AUTH_MODE }: Env): boolean {
  return (MCP_STDIO ?? (AUTH_MODE === 'local' ? 'on' : 'off')) === 'on';
}

/** The engine's settings and constants from the environment, defaults included. */
export function engineSettingsOf(env: Env): EngineSettings {
  const values: Readonly<Record<string, unknown>> = env;
  return {
    ...(Object.fromEntries(
      settingNames.map((name) => [name, values[settingOf(name).variable]]),
    ) as unknown as EngineSettings),
    ...(Object.fromEntries(
      constantNames.map((name) => [name, values[engineConstants[name].variable] ?? engineConstants[name].default]),
    ) as Record<ConstantName, number>),
    ...env.ENGINE_OVERRIDES,
  };
}

/** One row of the configuration table. */
export interface EnvReference {
  readonly name: string;
  /** The default as written in the environment; empty if unset is the default. */
  readonly default: string;
  readonly description: string;
}

/** Every variable with its default and meaning, in the order of .env.example. */
export function envReference(): EnvReference[] {
  const engine = settingsReference().map((setting) => ({
    name: setting.variable,
    default: setting.default,
    description: setting.unit === '' ? setting.meaning : `${setting.meaning} (${setting.unit})`,
  }));
  return [
    ...processReference(),
    ...engine,
    { name: 'ENGINE_OVERRIDES', default: '', description: OVERRIDES_DESCRIPTION },
  ];
}

/** The variables of the process only, which the settings page cannot change. */
export function processReference(): EnvReference[] {
  const defaults: Readonly<Record<string, string | number | readonly string[] | undefined>> = processSchema.parse({});
  return Object.entries(processVariables).map(([name, schema]) => ({
    name,
    default: String(defaults[name] ?? ''),
    description: describe(schema),
  }));
}

/** The description may be on the schema itself or on the schema inside `default` or `optional`. */
function describe(schema: z.ZodType): string {
  if (schema.description !== undefined) return schema.description;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return describe(schema.unwrap() as z.ZodType);
  }
  return '';
}
