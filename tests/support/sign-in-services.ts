import { createLimits, type Limits } from '#server/platform/auth/limits';

const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<unknown> };

/** Limits that no test reaches, but for the attempts to sign in. */
const wideLimits = (): Limits =>
  createLimits({
    requestsPerMinute: 600,
    turnsPerMinute: 60,
    v1PerMinute: 60,
    runningTurns: 10,
    pagesPerMinute: 600,
    openStreams: 10,
    countRunning: async () => 0,
    shared: null,
  });

interface SignInParts {
  readonly accounts: object;
  readonly limits?: object;
  readonly audit?: object;
  /** Other services that a route uses. */
  readonly [name: string]: unknown;
}

/** Makes the routes for signing in use these accounts, until `stopSignIn`, without the other services. */
export function serveSignIn(parts: SignInParts): void {
  globals.throughlineServices = Promise.resolve({
    limits: wideLimits(),
    audit: { record: async () => undefined },
    sites: { standardId: 'embedded' },
    at: () => ({ content: { draftsOnly: () => ({}) } }),
    env: { AUTH_MODE: 'accounts' },
    log: { error: () => undefined, info: () => undefined },
    ...parts,
  });
}

export function stopSignIn(): void {
  delete globals.throughlineServices;
}
