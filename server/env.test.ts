import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { envReference, InvalidEnvironmentError, parseEnv } from '#server/env';

describe('parseEnv', () => {
  it('needs nothing: every variable has a default or may be unset', () => {
    expect(parseEnv({})).toEqual({
      DATABASE_URL: 'file:.data/throughline.db',
      OPENROUTER_BASE_URL: 'https://openrouter.ai/api/v1',
      PORT: 3000,
      AUTH_MODE: 'local',
      LOG_LEVEL: 'info',
      OFFLINE_CHUNK_DELAY_MS: 15,
      MAX_STEPS: 50,
      CONTEXT_OUTPUT_RESERVE: 4_096,
      CONTEXT_PRUNE_PROTECT: 40_000,
      CONTEXT_PRUNE_MINIMUM: 20_000,
      CONTEXT_MIN_TURNS_TO_KEEP: 2,
      TOOL_MAX_OUTPUT_CHARS: 30_000,
      TOOL_OUTPUT_LIMIT: 120_000,
    });
  });

  it('takes what is given and leaves other variables alone', () => {
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

  it('names every wrong variable at once, in plain words', () => {
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

  it('never repeats a value, which may be a secret', () => {
    expect(() => parseEnv({ DATABASE_URL: 'secret-token' })).toThrow(/^(?![\s\S]*secret-token)/);
  });
});

describe('envReference', () => {
  it('describes every variable', () => {
    const reference = envReference();
    expect(reference.find((entry) => entry.name === 'PORT')).toEqual({
      name: 'PORT',
      default: '3000',
      description: 'Port of the web server; 0 takes any free one.',
    });
    expect(reference.find((entry) => entry.name === 'CONTEXT_WINDOW')?.default).toBe('');
    for (const entry of reference) expect(entry.description, entry.name).not.toBe('');
  });

  it('is what .env.example shows, name by name and default by default', () => {
    const example = readFileSync('.env.example', 'utf8');
    const lines = [...example.matchAll(/^#\s?([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => `${name}=${value}`);
    expect(lines).toEqual(envReference().map((entry) => `${entry.name}=${entry.default}`));
  });
});
