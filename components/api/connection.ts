export type ConnectionState = 'online' | 'offline';

/** Waits between attempts to reach a server that is gone; ms. The last one repeats. */
const RETRY_DELAYS = [500, 1000, 2000, 3000];

let state: ConnectionState = 'online';
const listeners = new Set<() => void>();

function set(next: ConnectionState): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

/** Any answer below 500 proves the server is there. */
async function ping(): Promise<boolean> {
  try {
    const response = await fetch('/api/health', { cache: 'no-store', signal: AbortSignal.timeout(4000) });
    return response.status < 500;
  } catch {
    return false;
  }
}

async function waitForServer(): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    if (await ping()) break;
    await pause(RETRY_DELAYS[Math.min(attempt, RETRY_DELAYS.length - 1)] ?? 0);
  }
  set('online');
}

/** Is over early when the browser says that it has a network again. */
async function pause(ms: number): Promise<void> {
  const over = new AbortController();
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
    window.addEventListener('online', () => resolve(), { signal: over.signal });
  });
  over.abort();
}

/**
 * Tells whether the server answers, as far as we know. A request that got no answer says so, or the browser that it has no
 * network; a small poll finds the server again.
 */
export const connection = {
  get state(): ConnectionState {
    return state;
  },
  /** To be called by whoever got no answer. */
  reportLost: (): void => {
    if (state === 'offline') return;
    set('offline');
    void waitForServer();
  },
  /** Asks whether the server answers now; that it does not is told as by `reportLost`. */
  check: async (): Promise<boolean> => {
    const answers = await ping();
    if (!answers) connection.reportLost();
    return answers;
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

if (typeof window !== 'undefined') window.addEventListener('offline', connection.reportLost);
