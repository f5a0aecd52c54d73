import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { projectPath } from '#scripts/lib/project';
import { writeRouteTable } from '#scripts/lib/route-table';
import { buildSiteLook } from '#scripts/lib/build-site-look';
import { sourceHash, stampBuild } from '#scripts/lib/source-hash';

/**
 * Builds the app for production; tells how `next build` ended.
 * @param capture collect what it says instead of showing it
 */
export async function build({ capture = false }: Pick<RunOptions, 'capture'> = {}): Promise<RunResult> {
  const hash = await sourceHash();
  const result = await run('next', ['build'], { env: { NODE_ENV: 'production' }, capture });
  if (result.code === 0) {
    writeRouteTable();
    await buildSiteLook();
    await stampBuild(hash);
  }
  return result;
}

/** Result of a command. */
export interface RunResult {
  /** Exit code; a command that could not start or was ended by a signal has 1. */
  readonly code: number;
  /** Standard output and error as they arrived; empty unless `capture` was asked for. */
  readonly output: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Collect the output instead of showing it as it arrives. */
  readonly capture?: boolean;
}

/** Runs a command in the project folder, with the project's own binaries first on PATH, until it ends. Never rejects. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const path = [projectPath('node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter);
  const child = spawn(command, args, {
    cwd: projectPath('.'),
    env: { ...process.env, PATH: path, NEXT_TELEMETRY_DISABLED: '1', ...options.env },
    stdio: options.capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
  });
  const chunks: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output: chunks.join('') }));
  });
}

if (import.meta.main) process.exitCode = (await build()).code;
