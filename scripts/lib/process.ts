import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { loadEnvFile } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '#server/core/errors';
import { projectPath } from '#scripts/lib/project';
import { type AuditFacts, createAuditLog } from '#server/auth/audit-log';
import { type Env, parseEnv } from '#server/config/env';
import type { AuditAction } from '#server/core/audit';
import type { Services } from '#server/services';
import { createAuditRepository } from '#server/store/audit-repository';
import type { Database } from '#server/store/database';
import { registerHooks } from 'node:module';

/** Files and folders are their owner's alone: they hold conversations, hashes of passwords, and secrets. */
const PRIVATE_UMASK = 0o077;

/**
 * The checked settings of this process, and the first thing that each of our commands asks for: from here on, what it
 * and its children write is private. Reads `.env.local` and `.env` first: what is already in the environment wins, then
 * the first file. Throws InvalidEnvironmentError.
 */
export function readEnvironment(): Env {
  process.umask(PRIVATE_UMASK);
  for (const file of ['.env.local', '.env'].map(projectPath)) if (existsSync(file)) loadEnvFile(file);
  process.env['NEXT_TELEMETRY_DISABLED'] = '1';
  return parseEnv(process.env);
}

/** Ends the process with what a person needs to know: the message alone, without a stack. */
export function exitWithMessage(error: unknown): never {
  console.error(`\n${messageOf(error)}`);
  process.exit(1);
}

const CHECK_EVERY_MS = 500;

/**
 * Ends this process once the process that started it is gone, if that was npm, or if `EXIT_WITH_PARENT` asks for it.
 * npm does not pass a SIGKILL on, and a server left behind would hold the port and the database.
 */
export function exitWithParent(): void {
  const startedByNpm = ['start', 'quickstart'].includes(process.env['npm_lifecycle_event'] ?? '');
  if (!startedByNpm && !process.env['EXIT_WITH_PARENT']) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, CHECK_EVERY_MS);
  timer.unref();
}

/** Parses the command line with `read`. If that throws, ends the process with the reason and the usage. */
export function withUsage<T>(usage: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    exitWithMessage(`${messageOf(error)}\n\n${usage}`);
  }
}

/** Once the turns have ended, the rest of their answers has this long to reach the clients; milliseconds. */
const DELIVERY_MS = 1_000;
/** After the turns everything else has this long; then the process ends as it is. Milliseconds. */
const CLOSING_MS = 5_000;

/** Exit codes of a process that a signal has ended: 128 and the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Next's bundle runs in this process and keeps the services here (server/services). */
const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

interface StoppableApp {
  readonly server: Server;
  /** Ends what Next does in the background. */
  readonly close: () => Promise<void>;
  /** Time left to running steps; milliseconds. */
  readonly limitMs: number;
}

/**
 * On SIGTERM or SIGINT: accepts nothing new, lets running steps and completions finish within the limit, settles what then still runs,
 * cuts streams that never end, closes the database, and exits with 143 or 130 (1 when that failed). The queue stays for
 * the next start. A second signal exits at once.
 *
 * @returns aborted as soon as the server is stopping
 */
export function stopOnSignal(app: StoppableApp): AbortSignal {
  const stopping = new AbortController();
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(code);
      stopping.abort();
      setTimeout(() => process.exit(code), app.limitMs + CLOSING_MS).unref();
      void stop(app).then(
        () => process.exit(code),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
  }
  return stopping.signal;
}

async function stop({ server, close, limitMs }: StoppableApp): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const services = await globals.throughlineServices;
  await Promise.all([services?.chat.close({ limitMs }), services?.completions.close({ limitMs })]);
  // Those who follow a session have heard how its turn ended; they come back to the next server.
  services?.endStreams();
  await Promise.race([closed, sleep(DELIVERY_MS)]);
  server.closeAllConnections();
  await close();
  await services?.[Symbol.asyncDispose]();
}

/**
 * Writes into the audit log what was done from the command line. Never throws: what was done stands, and that it could
 * not be written is said.
 * @param command `user` of `npm run user`
 */
export async function auditCommand(
  database: Database,
  command: string,
  action: AuditAction,
  facts: Pick<AuditFacts, 'target' | 'details'>,
): Promise<void> {
  const audit = createAuditLog(createAuditRepository(database), (message, error) =>
    console.error(`${message}: ${messageOf(error)}`),
  );
  await audit.record(null, action, { actorName: `npm run ${command}`, ...facts });
}

/**
 * Lets this process load the services: Next marks them with the package `server-only`, which refuses to load outside of
 * it. To be called before they are imported.
 */
export function allowServerModules(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'server-only' ? { url: 'data:text/javascript,', shortCircuit: true } : next(specifier, context),
  });
}
