import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '#server/services';

/** Once the turns have ended, the rest of their answers has this long to reach the clients; milliseconds. */
const DELIVERY_MS = 1_000;
/** After the turns everything else has this long; then the process ends as it is. Milliseconds. */
const CLOSING_MS = 5_000;

/** Exit codes of a process that a signal has ended: 128 and the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Next's bundle runs in this process and keeps the services here (server/services). */
const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

export interface StoppableApp {
  readonly server: Server;
  /** Ends what Next does in the background. */
  readonly close: () => Promise<void>;
  /** How long running steps may go on; milliseconds. */
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
  const services = await container.throughlineServices;
  await Promise.all([services?.chat.close({ limitMs }), services?.completions.close({ limitMs })]);
  // Those who follow a session have heard how its turn ended; they come back to the next server.
  services?.endStreams();
  await Promise.race([closed, sleep(DELIVERY_MS)]);
  server.closeAllConnections();
  await close();
  await services?.[Symbol.asyncDispose]();
}
