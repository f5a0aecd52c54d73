import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { messageOf } from '#server/core/errors';
import { projectPath } from '#scripts/lib/project';
import { type Env, parseEnv } from '#server/platform/config/env';
import { registerHooks } from 'node:module';

/** Files and folders are accessible to their owner only: they hold conversations, password hashes and secrets. */
const PRIVATE_UMASK = 0o077;

/**
 * Reads the checked settings of this process. Each of our commands calls this first: from here on, files written by it
 * and its children are private. Reads `.env.local` and `.env`: existing environment variables win, then the first file.
 * @throws InvalidEnvironmentError
 */
export function readEnvironment(): Env {
  process.umask(PRIVATE_UMASK);
  for (const file of ['.env.local', '.env'].map(projectPath)) if (existsSync(file)) loadEnvFile(file);
  process.env['NEXT_TELEMETRY_DISABLED'] = '1';
  return parseEnv(process.env);
}

/** Exits with an error message for people, without a stack. */
export function exitWithMessage(error: unknown): never {
  console.error(`\n${messageOf(error)}`);
  process.exit(1);
}

/** Interval of the check for the parent process, milliseconds. */
const PARENT_CHECK_MS = 500;

/**
 * Exits when the parent process is gone, if that was npm or if `EXIT_WITH_PARENT` is set. npm does not pass a SIGKILL
 * on, and an orphaned server would hold the port and the database.
 */
export function exitWithParent(): void {
  const startedByNpm = ['start', 'quickstart'].includes(process.env['npm_lifecycle_event'] ?? '');
  if (!startedByNpm && !process.env['EXIT_WITH_PARENT']) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Parses the command line with `read`. If that throws, exits with the error message and the usage. */
export function withUsage<T>(usage: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    exitWithMessage(`${messageOf(error)}\n\n${usage}`);
  }
}

/**
 * Lets this process load the services: they import the package `server-only`, which refuses to load outside of Next.
 * Call it before they are imported.
 */
export function allowServerModules(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'server-only' ? { url: 'data:text/javascript,', shortCircuit: true } : next(specifier, context),
  });
}
