import type { DestinationStream } from 'pino';
import type { Accounts } from '#server/auth/accounts';
import type { OidcProvider } from '#server/auth/better-auth';
import type { Env } from '#server/config/env';
import { createLog, warnOfNewDatabase } from '#server/observability/log';
import { createWatch, observeProcess, startTelemetry } from '#server/observability/telemetry';
import { createSignals } from '#server/signals/signals';
import { openDatabase } from '#server/store/database';
import { createLeases, LeaseWatch } from '#server/store/leases';
import { createSecretBox } from '#server/store/secret-box';
import { countQueuedMessages, databaseSize } from '#server/store/turn-rows';

/** Base of all services of a process: its log, its database and its ways to other processes. */
export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/**
 * @param patienceMs how long one write waits for a busy database, milliseconds
 * @param logDestination takes the lines of the log; default: standard output
 * @throws when the database cannot be opened or migrated
 */
export async function openFoundation(env: Env, patienceMs?: number, logDestination?: DestinationStream) {
  const telemetry = await startTelemetry(env);
  const log = createLog(env, logDestination);
  const watch = createWatch(log);
  const database = await openDatabase({
    url: env.DATABASE_URL,
    authToken: env.DATABASE_AUTH_TOKEN,
    patienceMs,
    observer: { onWrite: watch.write },
  });
  if (database.isNew) warnOfNewDatabase(log, database.url);
  const stopObserving =
    telemetry &&
    observeProcess({
      queueLength: () => countQueuedMessages(database.read),
      databaseSize: () => databaseSize(database.read),
    });
  const onFault = (message: string, error?: unknown) => log.error({ err: error }, message);
  // Shared by all repositories: what one part of the process has seen of a lease, the others know.
  const leaseWatch = new LeaseWatch(undefined, env.TURN_LEASE_MS);
  const signals = await createSignals(env, onFault);
  return {
    env,
    log,
    watch,
    database,
    onFault,
    leaseWatch,
    leases: createLeases(database, { watch: leaseWatch }),
    signals,
    secretBox: createSecretBox({
      secret: env.AUTH_SECRET,
      former: env.FORMER_AUTH_SECRET,
      databaseUrl: env.DATABASE_URL,
    }),
    async close() {
      await signals.close();
      await telemetry?.close();
      stopObserving?.();
      await database.close();
    },
  };
}

/** Encrypts secrets that are stored in plain text. A failure is logged and does not keep the server from starting. */
export async function sealStored(
  store: { sealAll(): Promise<readonly string[]> },
  onFault: Foundation['onFault'],
): Promise<void> {
  try {
    const unreadable = await store.sealAll();
    if (unreadable.length > 0)
      onFault(`Stored secrets cannot be read: AUTH_SECRET has changed. Enter again: ${unreadable.join(', ')}`);
  } catch (error) {
    onFault('stored secrets cannot be encrypted', error);
  }
}

function oidcOf(env: Env): OidcProvider | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NEW_PEOPLE } = env;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  const newRole = OIDC_NEW_PEOPLE === 'off' ? null : OIDC_NEW_PEOPLE;
  return { issuer, clientId, clientSecret, name: env.OIDC_NAME ?? new URL(issuer).host, newRole };
}

/** Accounts of people; null in local mode, where nobody signs in and what signs in need not be loaded. */
export async function openAccounts({ env, database, onFault }: Foundation): Promise<Accounts | null> {
  const { AUTH_MODE, AUTH_SECRET, PUBLIC_URL } = env;
  if (AUTH_MODE === 'local' || AUTH_SECRET === undefined || PUBLIC_URL === undefined) return null;
  const [{ createAccounts }, { sealFactors }] = await Promise.all([
    import('#server/auth/accounts'),
    import('#server/auth/secret-rotation'),
  ]);
  const { origin } = new URL(PUBLIC_URL);
  const secrets = { current: AUTH_SECRET, former: env.FORMER_AUTH_SECRET };
  const locked = await sealFactors(database, secrets);
  if (locked.length > 0)
    onFault(
      `One-time codes of ${locked.join(', ')} cannot be checked: AUTH_SECRET has changed. Set FORMER_AUTH_SECRET, or remove them (npm run user -- password --remove-second-factor)`,
    );
  return createAccounts({ database, origin, secrets, oidc: oidcOf(env), onFault });
}
