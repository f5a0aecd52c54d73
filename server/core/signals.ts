/**
 * Wake-up calls between whoever changes the store and whoever waits for the change, in this process or (with Redis)
 * in all of them. A signal carries nothing but its topic: what has happened is read from the store, so one that is lost,
 * late or repeated does no harm.
 */
export interface Signals {
  /** Never throws and never waits. */
  notify(topic: string): void;
  /** Calls `listener` at every signal until the returned function is called. */
  subscribe(topic: string, listener: () => void): () => void;
  close(): Promise<void>;
}

/** The session's events have grown. */
export const eventsTopic = (sessionId: string) => `events:${sessionId}`;
/** The events of some session have grown. */
export const ALL_EVENTS_TOPIC = 'events';
/** More of the session's running turn is stored, or it has ended. */
export const turnTopic = (sessionId: string) => `turn:${sessionId}`;
/** The session's running turn is to be cancelled. */
export const cancelTopic = (sessionId: string) => `cancel:${sessionId}`;
/** What the administrator set has changed. Of no session: who shares a Redis reads theirs once too often. */
export const settingsTopic = 'settings';
/** The tool servers that the administrator set up have changed. Of no session, like the settings. */
export const mcpServersTopic = 'mcp-servers';
/** The connected sites, or which of them is active, have changed. Of no session, like the settings. */
export const sitesTopic = 'sites';
