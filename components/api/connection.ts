import { atom } from 'nanostores';

/** Whether the server answers, as far as known. */
export type ConnectionState = 'online' | 'offline';

/** Pauses between attempts to reach the server; ms. The last one repeats. */
const RETRY_DELAYS = [500, 1000, 2000, 3000];

/**
 * If the connection is lost again within this time after the server was reached, the next attempts start only after
 * this time; ms.
 */
const STABLE_AFTER = 1000;

/** Last time the server answered; epoch ms. */
let lastReachedAt = 0;
const state = atom<ConnectionState>('online');

/** True if the server runs: any response with a status below 500 proves it. */
async function ping(): Promise<boolean> {
  try {
    const response = await fetch('/api/health', { cache: 'no-store', signal: AbortSignal.timeout(4000) });
    return response.status < 500;
  } catch {
    return false;
  }
}

/** Polls until the server answers, then sets the state to online. */
async function waitForServer(): Promise<void> {
  // Otherwise requests that are repeated automatically and fail although the server runs would be sent without a pause.
  if (Date.now() - lastReachedAt < STABLE_AFTER) await pause(STABLE_AFTER);
  for (let attempt = 0; !(await ping()); attempt++)
    await pause(RETRY_DELAYS[Math.min(attempt, RETRY_DELAYS.length - 1)] ?? 0);
  lastReachedAt = Date.now();
  state.set('online');
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
 * Whether the server answers, as far as known. Failed requests and the browser's offline event report a lost
 * connection; a small poll detects that the server is back.
 */
export const connection = {
  get state(): ConnectionState {
    return state.get();
  },
  /** Call this after a request without a response. */
  reportLost: (): void => {
    if (state.get() === 'offline') return;
    state.set('offline');
    void waitForServer();
  },
  /** Checks whether the server answers now; a failure has the same effect as `reportLost`. */
  check: async (): Promise<boolean> => {
    const answers = await ping();
    if (!answers) connection.reportLost();
    return answers;
  },
  subscribe: (listener: () => void): (() => void) => state.listen(listener),
};

if (typeof window !== 'undefined') {
  window.addEventListener('offline', connection.reportLost);
  // The pause is no longer needed.
  window.addEventListener('online', () => wake());
}
