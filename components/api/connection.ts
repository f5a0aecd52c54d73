export type ConnectionState = 'online' | 'offline';

/** Waits between attempts to reach a server that is gone; ms. The last one repeats. */
const RETRY_DELAYS = [500, 1000, 2000, 3000];

/** A connection that is lost again within this time is not looked for before it is over; ms. */
const STABLE_AFTER = 1000;

/** When the server was found last; epoch ms. */
let foundAt = 0;
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
  // Otherwise what is sent again by itself, and gets no answer though the server is there, would be sent without a pause.
  if (Date.now() - foundAt < STABLE_AFTER) await pause(STABLE_AFTER);
  for (let attempt = 0; !(await ping()); attempt++)
    await pause(RETRY_DELAYS[Math.min(attempt, RETRY_DELAYS.length - 1)] ?? 0);
  foundAt = Date.now();
  set('online');
}

/** Ends the pause between two attempts. */
let wake = () => undefined as void;

async function pause(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    wake = resolve;
    setTimeout(resolve, ms);
  });
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

if (typeof window !== 'undefined') {
  window.addEventListener('offline', connection.reportLost);
  // It need not wait any longer.
  window.addEventListener('online', () => wake());
}
