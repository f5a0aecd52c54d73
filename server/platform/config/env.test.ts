import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultSettings, settingsReference } from '#server/context/settings/context-settings';
import {
  canRunPrograms,
  engineSettingsOf,
  envReference,
  InvalidEnvironmentError,
  parseEnv,
  processReference,
} from '#server/platform/config/env';
import { modelServerAddress } from '#server/settings/model-server-address';

describe('parseEnv', () => {
  it('uses given values and leaves other variables alone', () => {
    const env = parseEnv({ PORT: '8080', CONTEXT_WINDOW: '16000', DEFAULT_MODEL: ' local/llama ', HOME: '/root' });
    expect(env).toMatchObject({ PORT: 8080, CONTEXT_WINDOW: 16_000, DEFAULT_MODEL: 'local/llama' });
    expect(env).not.toHaveProperty('HOME');
  });

  it('counts empty and blank values as unset', () => {
    const env = parseEnv({ OPENROUTER_API_KEY: '', PORT: '  ', CONTEXT_WINDOW: '' });
    expect(env.OPENROUTER_API_KEY).toBeUndefined();
    expect(env.CONTEXT_WINDOW).toBeUndefined();
    expect(env.PORT).toBe(3000);
  });

  it.each([
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1'],
    ['http://127.0.0.1:11434/', 'http://127.0.0.1:11434/v1'],
    ['http://127.0.0.1:1234/v1', 'http://127.0.0.1:1234/v1'],
    ['https://models.example/openai', 'https://models.example/openai'],
  ])('accepts %s like the settings page, with the usual path by default', (given, address) => {
    const env = parseEnv({ OPENAI_COMPATIBLE_BASE_URL: given, ANTHROPIC_BASE_URL: given });
    expect([env.OPENAI_COMPATIBLE_BASE_URL, env.ANTHROPIC_BASE_URL]).toEqual([address, address]);
    expect(modelServerAddress(given)).toBe(address);
  });

  const PUBLIC_URL = 'https://cms.example';
  it.each([
    'SMTP_URL',
    'REDIS_URL',
    'OPENROUTER_BASE_URL',
    'ANTHROPIC_BASE_URL',
    'OPENAI_COMPATIBLE_BASE_URL',
    'PUBLIC_URL',
    'SITE_URL',
    'OIDC_ISSUER',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ])('names %s where it is the name of a host and no address', (name) => {
    for (const value of ['mail.example', 'mail.example:587', 'post@mail.example', '//mail.example'])
      expect(() => parseEnv({ [name]: value })).toThrow(new RegExp(`^The environment is not right.*\n- ${name} must `));
  });

  it.each([
    ['accounts without a secret', { AUTH_MODE: 'accounts', PUBLIC_URL }, 'AUTH_SECRET must be set'],
    [
      'accounts with a secret that anybody could guess',
      { AUTH_MODE: 'accounts', PUBLIC_URL, AUTH_SECRET: 'secret' },
      'AUTH_SECRET must have at least 32 characters',
    ],
    ['accounts without an address', { AUTH_MODE: 'accounts', AUTH_SECRET: 'x'.repeat(32) }, 'PUBLIC_URL must be set'],
    [
      'a host for the site in local mode',
      { AUTH_MODE: 'local', SITE_URL: 'https://kiln.example' },
      'SITE_URL needs AUTH_MODE=accounts',
    ],
    [
      'one host for the app and the site',
      { AUTH_MODE: 'accounts', AUTH_SECRET: 'x'.repeat(32), PUBLIC_URL, SITE_URL: PUBLIC_URL },
      'SITE_URL must be another host',
    ],
    ['no address', { AUTH_MODE: 'accounts', PUBLIC_URL: 'cms.example', SITE_URL: 'kiln' }, 'PUBLIC_URL must be'],
    ['local mode for everybody', { AUTH_MODE: 'local', HOST: '0.0.0.0' }, 'HOST must be this machine'],
    ['local mode for the network', { AUTH_MODE: 'local', HOST: '192.168.0.2' }, 'HOST must be this machine'],
  ])('refuses %s', (_, variables, message) => {
    expect(() => parseEnv(variables)).toThrow(message);
  });

  it('names every wrong variable in one message, in plain words', () => {
    const wrong = {
      PORT: 'eighty',
      MAX_STEPS: '0',
      CONTEXT_WINDOW: '-5',
      AUTH_MODE: 'open',
      LOG_LEVEL: 'loud',
      OPENROUTER_BASE_URL: 'ftp://example.com',
      DATABASE_URL: 'postgres://x',
    };
    expect(() => parseEnv(wrong)).toThrow(InvalidEnvironmentError);
    let message = '';
    try {
      parseEnv(wrong);
    } catch (error) {
      message = String(error);
    }
    for (const name of Object.keys(wrong)) expect(message).toContain(`- ${name} must`);
    expect(message).toContain('PORT must be a whole number from 0 to 65,535');
    expect(message).toContain('AUTH_MODE must be one of: local');
  });

  it.each([
    { AUTHMODE: 'accounts' },
    { AUTH_MOD: 'accounts' },
    { auth_mode: 'accounts' },
    { 'AUTH-MODE': 'Accounts' },
    { AUHT_MODE: 'acounts' },
    { AUTH_MODES: 'local' },
  ])('refuses a misspelt AUTH_MODE, which would start local mode: %o', (source) => {
    const [name] = Object.keys(source);
    expect(() => parseEnv(source)).toThrow(`${name} is not a setting of this server: did you mean AUTH_MODE?`);
  });

  it.each([{ AUTH_CODE: '1234' }, { OAUTH_MODE: 'none' }, { AUTHMODE: 'x', AUTH_MODE: 'local' }])(
    'ignores variables of other programs: %o',
    (source) => {
      expect(parseEnv(source).AUTH_MODE).toBe('local');
    },
  );

  it('names conflicting variables next to a wrong one, unless the wrong one is among them', () => {
    const problemsOf = (source: Record<string, string>) => {
      try {
        parseEnv(source);
        return [];
      } catch (error) {
        return String(error).split('\n- ').slice(1);
      }
    };
    const port = expect.stringMatching(/^PORT must be a whole number/);
    expect(problemsOf({ HOST: '0.0.0.0', PORT: 'abc' })).toEqual([port, expect.stringMatching(/^HOST must be/)]);
    expect(problemsOf({ AUTH_MODE: 'accounts', PORT: 'abc' })).toEqual([
      port,
      'AUTH_SECRET must be set with AUTH_MODE=accounts',
      'PUBLIC_URL must be set with AUTH_MODE=accounts',
    ]);
    expect(problemsOf({ AUTH_MODE: 'acounts', HOST: '0.0.0.0' })).toEqual([expect.stringMatching(/^AUTH_MODE must/)]);
    const mail = { SMTP_URL: 'mail.example', MAIL_FROM: 'a@b.example' };
    expect(problemsOf(mail)).toEqual([expect.stringMatching(/^SMTP_URL must/)]);
    const group = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'Kiln: Shop <post@kiln.example>' };
    expect(problemsOf(group)).toEqual([expect.stringMatching(/^MAIL_FROM must .*double quotes/)]);
  });

  it('reads every setting of the engine under its variable', () => {
    expect(engineSettingsOf(parseEnv({}))).toEqual(defaultSettings);
    const env = parseEnv({
      CONTEXT_STRATEGY: 'ledger',
      CONTEXT_TARGET_SHARE: '0.4',
      CONTEXT_AUTO_COMPACT: 'false',
      CONTEXT_MODEL_WINDOWS: 'openai/gpt-4o=32000, local/llama3.2:3b = 8192',
    });
    expect(engineSettingsOf(env)).toEqual({
      ...defaultSettings,
      strategy: 'ledger',
      targetShare: 0.4,
      autoCompact: false,
      modelWindowOverrides: { 'openai/gpt-4o': 32_000, 'local/llama3.2:3b': 8_192 },
    });
  });

  it('overrides constants of the engine by JSON, above the variables that they had as settings', () => {
    const env = parseEnv({
      CONTEXT_TARGET_SHARE: '0.4',
      CONTEXT_STEP_RETRIES: '7',
      TOOL_MAX_LINES: '50',
      ENGINE_OVERRIDES: '{"targetShare": 0.3}',
    });
    expect(engineSettingsOf(env)).toEqual({ ...defaultSettings, targetShare: 0.3, stepRetries: 7, maxLines: 50 });
  });

  it.each([
    ['0.8', 'ENGINE_OVERRIDES must be a JSON object of engine constants'],
    ['{"usableShare": 0.8', 'ENGINE_OVERRIDES must be a JSON object of engine constants'],
    ['{"maxSteps": 8}', 'ENGINE_OVERRIDES must be a JSON object of engine constants'],
    ['{"usableShare": "0.8"}', 'ENGINE_OVERRIDES usableShare must be a number from 0.3 to 0.95'],
  ])('refuses the overrides %s', (text, problem) => {
    expect(() => parseEnv({ ENGINE_OVERRIDES: text })).toThrow(`- ${problem}`);
  });

  it('refuses settings that do not fit together, naming their variables', () => {
    expect(() => parseEnv({ CONTEXT_USABLE_SHARE: '0.92' })).toThrow(
      '- ENGINE_OVERRIDES usableShare must be below ENGINE_OVERRIDES realTimeShare, else a step would start only to be cut',
    );
    expect(() => parseEnv({ TOOL_OUTPUT_LIMIT: '20000' })).toThrow(
      '- TOOL_MAX_OUTPUT_CHARS must not be above TOOL_OUTPUT_LIMIT, it is a part of it',
    );
  });

  it('refuses a heartbeat that lets a lease run out', () => {
    expect(() => parseEnv({ TURN_LEASE_MS: '5000' })).toThrow('TURN_HEARTBEAT_MS must be at most a third');
    expect(parseEnv({ TURN_LEASE_MS: '6000' })).toMatchObject({ TURN_LEASE_MS: 6_000, TURN_HEARTBEAT_MS: 2_000 });
  });

  it('reads origins as a list', () => {
    expect(parseEnv({}).ALLOWED_ORIGINS).toEqual([]);
    const given = parseEnv({ ALLOWED_ORIGINS: 'https://media.example, https://cdn.example/' });
    expect(given.ALLOWED_ORIGINS).toEqual(['https://media.example', 'https://cdn.example']);
    expect(() => parseEnv({ ALLOWED_ORIGINS: 'https://media.example/images' })).toThrow(
      '- ALLOWED_ORIGINS must be origins like https://media.example, separated by commas',
    );
  });

  it('runs programs as tool servers in local mode only, unless told otherwise', () => {
    const accounts = { AUTH_MODE: 'accounts', AUTH_SECRET: 's'.repeat(32), PUBLIC_URL: 'https://cms.example' };
    expect(canRunPrograms(parseEnv({}))).toBe(true);
    expect(canRunPrograms(parseEnv({ MCP_STDIO: 'off' }))).toBe(false);
    expect(canRunPrograms(parseEnv(accounts))).toBe(false);
    expect(canRunPrograms(parseEnv({ ...accounts, MCP_STDIO: 'on' }))).toBe(true);
  });

  it('never repeats a value, which may be a secret', () => {
    expect(() => parseEnv({ DATABASE_URL: 'secret-token' })).toThrow(/^(?![\s\S]*secret-token)/);
    expect(() => parseEnv({ CONTEXT_MODEL_WINDOWS: 'secret-token=5' })).toThrow(/^(?![\s\S]*secret-token)/);
  });
});

describe('envReference', () => {
  it('is what .env.example shows, name by name and default by default', () => {
    const example = readFileSync('.env.example', 'utf8');
    const lines = [...example.matchAll(/^#\s?([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => `${name}=${value}`);
    expect(lines).toEqual(envReference().map((entry) => `${entry.name}=${entry.default}`));
  });
});

describe('docs/reference/configuration.md', () => {
  it('has every setting in its tables; `vitest -u` rewrites them', async () => {
    const page = readFileSync('docs/reference/configuration.md', 'utf8');
    const code = (text: string) => (text === '' ? '' : `\`${text}\``);
    const engine = settingsReference().map(({ name, variable, default: value, unit, range, meaning }) => [
      code(name),
      code(variable),
      code(value),
      [unit, range].filter((text) => text !== '').join(', '),
      meaning,
    ]);
    const ofProcess = processReference().map(({ name, default: value, description }) => [
      code(name),
      code(value),
      description,
    ]);
    const written = withTable(
      withTable(page, 'engine', [['setting', 'variable', 'default', 'values', 'meaning'], ...engine]),
      'process',
      [['variable', 'default', 'meaning'], ...ofProcess],
    );
    await expect(written).toMatchFileSnapshot('../../../docs/reference/configuration.md');
  });
});

describe('docs/settings.md', () => {
  const rows = [...readFileSync('docs/settings.md', 'utf8').matchAll(/^\| `([A-Z_]+)`.*$/gm)].map(
    ([row, name = '']) => {
      const [, , , value = '', example = ''] = row.split('|').map((cell) => cell.trim().replaceAll('`', ''));
      return { name, value, example };
    },
  );

  it('has twelve settings with the defaults of the code', () => {
    expect(rows).toHaveLength(12);
    const defaults = new Map(envReference().map((entry) => [entry.name, entry.default]));
    expect(rows.map(({ name, value }) => [name, value])).toEqual(rows.map(({ name }) => [name, defaults.get(name)]));
  });

  it('has examples that the server starts with, all together', () => {
    const examples = Object.fromEntries(rows.map(({ name, example }) => [name, example]));
    expect(Object.values(examples)).not.toContain('');
    const env: Readonly<Record<string, unknown>> = parseEnv({ ...examples, MAIL_FROM: 'Club <post@club.example>' });
    expect(Object.keys(examples).filter((name) => env[name] === undefined)).toEqual([]);
  });
});

/** The page with a new table between `<!-- name -->` and the end of its ignored block. */
function withTable(page: string, name: string, [head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const table = [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
  const place = new RegExp(`(<!-- ${name} -->\n<!-- oxfmt-ignore-start -->\n)[^]*?(<!-- oxfmt-ignore-end -->)`);
  expect(page).toMatch(place);
  return page.replace(place, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`);
}
