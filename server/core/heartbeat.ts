/** Silent streams send a comment this often: proxies and clients see that they are alive; milliseconds. */
export const HEARTBEAT_MS = 15_000;
