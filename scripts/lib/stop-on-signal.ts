import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '#server/services';

/** After the turns have ended, time for the rest of their answers to reach the clients; milliseconds. */
const DELIVERY_MS = 1_000;
/** After the turns have ended, time for all other work; then the process exits regardless. Milliseconds. */
const CLOSING_MS = 5_000;

/** Exit codes of a process that was ended by a signal: 128 plus the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Next's bundle runs in this process and keeps the services here (server/services). */
const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/** What has to be stopped. */
interface StoppableApp {
  readonly server: Server;
  /** Stops the background work of Next. */
  readonly close: () => Promise<void>;
  /** Time left to running steps; milliseconds. */
  readonly limitMs: number;
}

/**
 * On SIGTERM or SIGINT: accepts no new work, lets running steps and completions finish within the limit, settles those
 * that still run, cuts streams that never end, closes the database, and exits with 143 or 130 (1 if that failed). The
 * queue stays for the next start. A second signal exits immediately.
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

/** Lets running work end, then closes everything. */
async function stop({ server, close, limitMs }: StoppableApp): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const services = await globals.throughlineServices;
  await Promise.all([services?.chat.close({ limitMs }), services?.completions.close({ limitMs })]);
  // Clients that follow a session have received the end of its turn; they reconnect to the next server.
  services?.endStreams();
  await Promise.race([closed, sleep(DELIVERY_MS)]);
  server.closeAllConnections();
  await close();
  await services?.[Symbol.asyncDispose]();
}
