/** The pause before the next attempt doubles from the first to the longest; milliseconds. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;
/** A connection that died silently is detected by a ping that is not answered; milliseconds. */
const PING_INTERVAL_MS = 10_000;
const MAX_SILENCE_MS = 30_000;
/** Maximum number of commands that wait for a connection that hangs; further ones fail. */
const MAX_PENDING_MESSAGES = 10_000;

/** A client of Redis, connected or reconnecting. */
export type RedisClient = Awaited<ReturnType<typeof createRedisClient>>;

/**
 * Creates a client that connects, and reconnects, in the background once `connect` is called. Commands that are sent while
 * it is disconnected fail immediately. The library (480 files) is loaded with the first client, because most
 * installations have no Redis.
 * @param url `redis://[user:password@]host[:port]`, or `rediss://` for TLS
 */
export async function createRedisClient(url: string) {
  const { createClient } = await import('@redis/client');
  return createClient({
    url,
    // Protocol version 3, with which one connection can both publish and subscribe.
    RESP: 3,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_PENDING_MESSAGES,
    pingInterval: PING_INTERVAL_MS,
    socket: {
      socketTimeout: MAX_SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(FIRST_RETRY_MS * 2 ** retries, LONGEST_RETRY_MS),
    },
  });
}

/** Creates a client for commands and connects it in the background. Check `isReady` before use; end with `destroy`. */
export async function connectToRedis(url: string): Promise<RedisClient> {
  const client = await createRedisClient(url);
  // `RedisSignals` already reports an outage.
  client.on('error', () => undefined);
  client.connect().catch(() => undefined);
  return client;
}
