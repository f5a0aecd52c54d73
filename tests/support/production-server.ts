import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import packageJson from '#package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..', '..');
/** What runs these tests: npm has put the pinned one first. */
const node = process.execPath;
/** As `npm start` does. */
const startCommand = [node, ...packageJson.scripts.start.split(' ').slice(2)];

/**
 * Where a server keeps what it has compiled. Programs that are given it as NODE_COMPILE_CACHE have that from their first
 * line on: a seventh of the work of a start, a third of a command's.
 */
export const compiledFolder = join(root, '.next/compiled');

/** Time a server may take until it answers, in milliseconds; several start concurrently on two cores. */
const START_TIMEOUT_MS = 240_000;
const POLL_MS = 50;

export interface ProductionServerOptions {
  /** Settings of this server. Nothing else is taken from the environment of the tests, and no `.env` file counts. */
  readonly env?: Readonly<Record<string, string>>;
  /** A database file to use and to keep, for a restart; by default a new one, removed in the end. */
  readonly databaseFile?: string;
  /** Put the demo site into the database first. Default: an empty one. */
  readonly seed?: boolean;
  /** Default: a free one. */
  readonly port?: number;
  /** Of the shell that starts it. Default: that of the tests. */
  readonly umask?: string;
  /** What starts it: as a newcomer does, which also prepares database and demo site. Default: as `npm start`. */
  readonly command?: 'npm run quickstart';
  /** The project whose build is started, for a comparison of two. Default: this one. */
  readonly project?: string;
}

/** A running server of the built app, in a separate process. */
export interface ProductionServer extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  readonly pid: number;
  readonly databaseFile: string;
  /** Asks it to end (SIGTERM), waits, and removes the database if it was made for this server. Gives its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a crash would (SIGKILL), and waits; the database stays for a restart. */
  kill(): Promise<void>;
  /** Everything it wrote to standard output and error. */
  logs(): string;
}

/** Settings that a developer's `.env` may hold and that would change what a test sees. An empty value is "not set". */
const UNSET = {
  DATABASE_AUTH_TOKEN: '',
  OPENROUTER_API_KEY: '',
  OPENROUTER_BASE_URL: '',
  OPENAI_COMPATIBLE_BASE_URL: '',
  OPENAI_COMPATIBLE_API_KEY: '',
  DEFAULT_MODEL: '',
  COMPACTION_MODEL: '',
  CONTEXT_WINDOW: '',
};

function environment(databaseFile: string, port: number, env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    PATH,
    HOME,
    TMPDIR,
    ...UNSET,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_COMPILE_CACHE: compiledFolder,
    // No process is left when the test run is killed.
    EXIT_WITH_PARENT: '1',
    AUTH_MODE: 'local',
    CHECK_ANSWERS: '1',
    DATABASE_URL: `file:${databaseFile}`,
    PORT: String(port),
    ...env,
  };
}

/** By project. */
const demoSites = new Map<string, string>();

/**
 * A database with the demo site, made once by this process: to be copied, never opened for writing.
 * @param project whose version makes it. Default: this one
 */
export function demoSiteFile(project = root): string {
  const made = demoSites.get(project);
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), 'throughline-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'site.db');
  execFileSync(node, ['scripts/seed.ts'], { cwd: project, env: environment(file, 0, {}), stdio: 'pipe' });
  demoSites.set(project, file);
  return file;
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/api/ready`).then(
    (response) => response.ok,
    () => false,
  );
}

/** The port it says it listens on; undefined until then. Asked for port 0 it has taken one that was free. */
function announcedPort(logs: string): string | undefined {
  return /Throughline is ready: http:\/\/[^:]+:(\d+)/.exec(logs)?.[1];
}

/** Resolves with its URL when the server answers; throws with its output when it ends, or when it takes too long. */
async function untilReady(child: ChildProcess, logs: () => string): Promise<string> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const port = announcedPort(logs());
    const url = `http://127.0.0.1:${port}`;
    if (port !== undefined && (await answers(url))) return url;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The server ended:\n${logs()}`);
    if (Date.now() > deadline) throw new Error(`The server is not ready:\n${logs()}`);
    await delay(POLL_MS);
  }
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}

/** Starts the built app (`npm run build` comes first) on the loopback address and waits until it answers. */
export async function startProductionServer(options: ProductionServerOptions = {}): Promise<ProductionServer> {
  const databaseFile = options.databaseFile ?? join(mkdtempSync(join(tmpdir(), 'throughline-server-')), 'site.db');
  const env = environment(databaseFile, options.port ?? 0, options.env ?? {});
  if (options.seed) copyFileSync(demoSiteFile(options.project), databaseFile);

  const command = options.command?.split(' ') ?? startCommand;
  const shell = options.umask === undefined ? [] : ['sh', '-c', `umask ${options.umask}; exec "$0" "$@"`];
  const [program = node, ...words] = [...shell, ...command];
  const child = spawn(program, words, { cwd: options.project ?? root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  // A server that has just begun to start does not see yet that its parent is gone.
  const endWithParent = () => child.kill('SIGKILL');
  process.once('exit', endWithParent);
  child.once('exit', () => process.off('exit', endWithParent));
  const output: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const logs = () => output.join('');

  const stop = async () => {
    const code = await end(child, 'SIGTERM');
    if (options.databaseFile === undefined) rmSync(dirname(databaseFile), { recursive: true, force: true });
    return code;
  };
  let url: string;
  try {
    url = await untilReady(child, logs);
  } catch (error) {
    await end(child, 'SIGKILL');
    throw error;
  }
  return {
    url,
    pid: child.pid ?? 0,
    databaseFile,
    stop,
    kill: async () => {
      await end(child, 'SIGKILL');
    },
    logs,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}
