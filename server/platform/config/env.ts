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
import { nameText } from '#server/core/messages/server-text';
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
function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error));
}

/** Schema of a variable with one of several words. */
function choice<const T extends readonly string[]>(values: T) {
  return z.enum(values, { error: `must be one of: ${values.join(', ')}` });
}

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' });
/** The default path of a model server's interface, for an address without a path. */
export const DEFAULT_API_PATH = '/v1';
const withDefaultPath = (url: string) => (new URL(url).pathname === '/' ? new URL(DEFAULT_API_PATH, url).href : url);
const text = z.string();

/** The variables of the process. Their descriptions are messages: `server.variable` in messages/en.json. */
const processVariables = {
  DATABASE_URL: z
    .string()
    .regex(/^(file:|libsql:\/\/|https?:\/\/).+/, 'must begin with file:, libsql://, https:// or http://')
    .default('file:.data/throughline.db'),
  DATABASE_AUTH_TOKEN: text.optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a URL that begins with redis:// or rediss://' }).optional(),
  OPENROUTER_API_KEY: text.optional(),
  OPENROUTER_BASE_URL: httpUrl.default('https://openrouter.ai/api/v1'),
  ANTHROPIC_API_KEY: text.optional(),
  ANTHROPIC_BASE_URL: httpUrl.transform(withDefaultPath).default('https://api.anthropic.com/v1'),
  OPENAI_API_KEY: text.optional(),
  OPENAI_BASE_URL: httpUrl.default('https://api.openai.com/v1'),
  GOOGLE_GENERATIVE_AI_API_KEY: text.optional(),
  GOOGLE_GENERATIVE_AI_BASE_URL: httpUrl.default('https://generativelanguage.googleapis.com/v1beta'),
  OPENAI_COMPATIBLE_BASE_URL: httpUrl.transform(withDefaultPath).optional(),
  OPENAI_COMPATIBLE_API_KEY: text.optional(),
  FIRST_TOKEN_TIMEOUT: wholeNumber(1, 86_400).optional(),
  IDLE_TIMEOUT: wholeNumber(1, 86_400).optional(),
  PORT: wholeNumber(0, 65_535).default(3000),
  ALLOWED_ORIGINS: text
    .transform((value, context) => {
      const origins = parseOrigins(value);
      if (origins) return origins;
      context.addIssue({ code: 'custom', message: 'must be origins like https://media.example, separated by commas' });
      return z.NEVER;
    })
    .default([]),
  HOST: text.regex(/^[0-9A-Za-z.:-]{1,255}$/, 'must be an address or the name of a host').default('127.0.0.1'),
  AUTH_MODE: choice(authModes).default('local'),
  AUTH_SECRET: text.min(32, 'must have at least 32 characters; make one with: openssl rand -base64 32').optional(),
  PUBLIC_URL: httpUrl
    .refine((url) => URL.parse(url)?.pathname === '/', 'must be an origin, like https://cms.example, without a path')
    .optional(),
  FORMER_AUTH_SECRET: text
    .transform((value) =>
      value
        .split(',')
        .map((secret) => secret.trim())
        .filter(Boolean),
    )
    .default([]),
  OIDC_ISSUER: httpUrl.optional(),
  OIDC_CLIENT_ID: text.optional(),
  OIDC_CLIENT_SECRET: text.optional(),
  OIDC_NAME: text.max(60).optional(),
  OIDC_NEW_PEOPLE: choice(['off', 'author', 'editor']).default('off'),
  SITE_URL: httpUrl
    .refine((url) => URL.parse(url)?.pathname === '/', 'must be an origin, like https://kiln.example, without a path')
    .optional(),
  TRUST_PROXY: choice(['on', 'off']).default('off'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be a URL that begins with smtp:// or smtps://' })
    .refine((url) => URL.parse(url)?.hostname !== '', 'must name a server: smtps://name:password@mail.example')
    .optional(),
  MAIL_FROM: text
    .max(350)
    .refine(
      (value) => parseSender(value) !== null,
      'must be one address, like Club <post@club.example>; a name with any of ()<>@,;:" needs double quotes: "Club: North" <post@club.example>',
    )
    .optional(),
  REQUESTS_PER_MINUTE: wholeNumber(1, MAX_SETTING_VALUE).default(600),
  TURNS_PER_MINUTE: wholeNumber(1, MAX_SETTING_VALUE).default(60),
  MODEL_REQUESTS_PER_MINUTE: wholeNumber(1, MAX_SETTING_VALUE).default(1_200),
  RUNNING_TURNS: wholeNumber(1, 1_000).default(10),
  OPEN_STREAMS: wholeNumber(1, 100_000).default(100),
  PAGES_PER_MINUTE: wholeNumber(1, MAX_SETTING_VALUE).default(1_200),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  OFFLINE_CHUNK_DELAY_MS: wholeNumber(0, 10_000).default(15),
  SHUTDOWN_LIMIT_MS: wholeNumber(0, 600_000).default(10_000),
  TURN_LEASE_MS: wholeNumber(500, 600_000).default(15_000),
  TURN_HEARTBEAT_MS: wholeNumber(50, 200_000).default(2_000),
  MCP_STDIO: choice(['on', 'off']).optional(),
  CONTEXT_WINDOW: wholeNumber(1_000, MAX_SETTING_VALUE).optional(),
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
  const problems = conflicts(engineSettingsOf(env), nameOf).map(
    ({ lower, problem }) => `${nameOf(lower)} ${problem.text}`,
  );
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
  return (Object.keys(processVariables) as (keyof typeof processVariables)[]).map((name) => ({
    name,
    default: String(defaults[name] ?? ''),
    description: nameText('variable', name).text,
  }));
}
