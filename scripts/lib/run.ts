import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { projectPath } from '#scripts/lib/project';

/** Result of a command. */
export interface RunResult {
  /** Exit code; 1 if the command could not start or was ended by a signal. */
  readonly code: number;
  /** Standard output and error as they arrived; empty unless `capture` was set. */
  readonly output: string;
}

/** How a command is run. */
export interface RunOptions {
  /** Additional environment variables. */
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
