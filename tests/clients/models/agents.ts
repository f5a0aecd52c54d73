import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MODEL, turns } from './conversation.ts';

/* Coding agents, each with the configuration that docs/reference/clients.md names. */

/** Where an agent runs. */
export interface Place {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** An empty folder: its home and its project. */
  readonly folder: string;
}

/** An agent that is asked so many times in one conversation, in a window of so many tokens. */
export interface Agent {
  readonly turns: number;
  readonly window: number;
  /** Returns everything that the agent printed. */
  readonly ask: (place: Place, prompts: readonly string[]) => Promise<string>;
}

const packages = join(import.meta.dirname, '..', 'node_modules');

/** No agent may reach anything but this machine, or keep anything outside its folder. */
const envOf = ({ folder }: Place) => ({
  PATH: process.env['PATH'],
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, '.config'),
  XDG_DATA_HOME: join(folder, '.local'),
  XDG_CACHE_HOME: join(folder, '.cache'),
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  DO_NOT_TRACK: '1',
  CI: '1',
});

/** Runs a program to its end. @throws with what it printed, if it fails */
function run(
  place: Place,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(program, args, {
    cwd: place.folder,
    env: { ...envOf(place), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (piece: Buffer) => (printed += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (printed += piece.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(printed) : reject(new Error(`${program} ended with ${code}: ${printed.slice(-3_000)}`)),
    );
  });
}

function write(folder: string, name: string, content: string | object): void {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

const node = process.execPath;

const codex: Agent = {
  turns: 5,
  window: 32_000,
  async ask(place, prompts) {
    write(
      place.folder,
      '.codex/config.toml',
      [
        `model = "${MODEL}"`,
        'model_provider = "throughline"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[model_providers.throughline]',
        'name = "Throughline"',
        `base_url = "${place.baseUrl}"`,
        'env_key = "THROUGHLINE_KEY"',
        'wire_api = "responses"',
      ].join('\n'),
    );
    const program = join(packages, '@openai/codex/bin/codex.js');
    const options = ['--json', '--skip-git-repo-check'];
    let printed = '';
    for (const [index, prompt] of prompts.entries()) {
      const args = index === 0 ? ['exec', ...options, prompt] : ['exec', 'resume', '--last', ...options, prompt];
      printed += await run(place, node, [program, ...args], { THROUGHLINE_KEY: 'any' });
    }
    return printed;
  },
};

const claudeCode: Agent = {
  turns: 5,
  window: 64_000,
  async ask(place, prompts) {
    const program = join(packages, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`);
    const env = {
      ANTHROPIC_BASE_URL: place.baseUrl.replace(/\/v1$/, ''),
      ANTHROPIC_AUTH_TOKEN: 'any',
      ANTHROPIC_MODEL: MODEL,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: MODEL,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    };
    let printed = '';
    for (const [index, prompt] of prompts.entries()) {
      const more = index === 0 ? [] : ['--continue'];
      printed += await run(place, program, ['-p', prompt, '--output-format', 'json', ...more], env);
    }
    return printed;
  },
};

const opencode: Agent = {
  turns: 4,
  window: 32_000,
  async ask(place, prompts) {
    write(place.folder, 'opencode.json', {
      autoupdate: false,
      share: 'disabled',
      model: `throughline/${MODEL}`,
      small_model: `throughline/${MODEL}`,
      provider: {
        throughline: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Throughline',
          options: { baseURL: place.baseUrl, apiKey: 'any' },
          models: { [MODEL]: { name: 'GPT-4o', limit: { context: 1_000_000, output: 8_000 } } },
        },
      },
    });
    const program = join(packages, `opencode-${process.platform}-${process.arch}/bin/opencode`);
    const env = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' };
    let printed = '';
    for (const [index, prompt] of prompts.entries())
      printed += await run(place, program, ['run', ...(index === 0 ? [] : ['--continue']), prompt], env);
    return printed;
  },
};

const qwenCode: Agent = {
  turns: 4,
  window: 32_000,
  async ask(place, prompts) {
    write(place.folder, '.qwen/settings.json', {
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      security: { auth: { selectedType: 'openai' } },
    });
    const program = join(packages, '@qwen-code/qwen-code/cli-entry.js');
    const env = { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: place.baseUrl, OPENAI_MODEL: MODEL };
    let printed = '';
    for (const [index, prompt] of prompts.entries())
      printed += await run(place, node, [program, ...(index === 0 ? [] : ['--continue']), '-p', prompt], env);
    return printed;
  },
};

/** In its RPC mode, because its own start takes longer than an answer. */
const pi: Agent = {
  turns: 60,
  window: 16_000,
  ask(place, prompts) {
    write(place.folder, '.pi/agent/models.json', {
      providers: {
        throughline: {
          baseUrl: place.baseUrl,
          api: 'openai-completions',
          apiKey: 'any',
          models: [{ id: MODEL, contextWindow: 1_000_000, maxTokens: 2_000 }],
        },
      },
    });
    const program = join(packages, '@mariozechner/pi-coding-agent/dist/cli.js');
    const args = [program, '--mode', 'rpc', '--provider', 'throughline', '--model', MODEL, '--no-session'];
    const env = { ...envOf(place), PI_OFFLINE: '1', PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1' };
    const child = spawn(node, args, { cwd: place.folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const rest = prompts.values();
    let printed = '';
    const next = () => {
      const { value, done } = rest.next();
      if (done) child.stdin.end();
      else child.stdin.write(`${JSON.stringify({ type: 'prompt', message: value })}\n`);
      if (done) child.kill();
    };
    child.stderr.on('data', (piece: Buffer) => (printed += piece.toString()));
    const failed = (error: unknown) => child.kill() && error;
    return new Promise((resolve, reject) => {
      createInterface(child.stdout).on('line', (line) => {
        const event = JSON.parse(line) as { type: string; success?: boolean; messages?: { errorMessage?: string }[] };
        const error = event.messages?.find(({ errorMessage }) => errorMessage)?.errorMessage;
        if (event.type === 'response' && event.success === false) reject(failed(new Error(line)));
        if (error) reject(failed(new Error(error)));
        if (event.type === 'agent_end') {
          printed += `${line}\n`;
          next();
        }
      });
      child.on('error', reject);
      child.on('close', () => resolve(printed));
      next();
    });
  },
};

export const agents: Readonly<Record<string, Agent>> = {
  Codex: codex,
  'Claude Code': claudeCode,
  opencode,
  'Qwen Code': qwenCode,
  pi,
};

/** Longer for agents that are asked seldom, so that their conversations outgrow the window too. */
export const promptsOf = ({ turns: count, window }: Agent): string[] =>
  turns(count).map((text) => (count > 10 ? text : text.repeat(Math.ceil(window / 6_000))));
