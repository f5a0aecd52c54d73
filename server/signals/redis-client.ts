import { createClient } from '@redis/client';

/** The pause before the next attempt doubles from the first to the longest; milliseconds. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;
/** Finds connections that died without a word; milliseconds. */
const PING_MS = 10_000;
const SILENCE_MS = 30_000;
/** What does not fit a connection that hangs is dropped. */
const MOST_PENDING = 10_000;

export type RedisClient = ReturnType<typeof createRedisClient>;

/**
 * A client that connects, and connects again, in the background once `connect` is called; what is asked of it meanwhile
 * fails at once.
 * @param url `redis://[user:password@]host[:port]`, or `rediss://` for TLS
 */
export function createRedisClient(url: string) {
  return createClient({
    url,
    // With it, one connection both publishes and listens.
    RESP: 3,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MOST_PENDING,
    pingInterval: PING_MS,
    socket: {
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(FIRST_RETRY_MS * 2 ** retries, LONGEST_RETRY_MS),
    },
  });
}

/** Connects in the background; whoever uses it looks at `isReady`, and ends it with `destroy`. */
export function connectToRedis(url: string): RedisClient {
  const client = createRedisClient(url);
  // Signals tell of an outage already.
  client.on('error', () => undefined);
  client.connect().catch(() => undefined);
  return client;
}
