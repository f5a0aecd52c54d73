/**
 * Logs of the chunks of running turns, through which other processes follow them. A log is a copy: it may be missing or
 * incomplete, and everything in it that outlives the turn is also in the database.
 */
export interface TurnLogs {
  /** Opens the log of a turn that this process runs. */
  write(turnId: string): TurnLogWriter;
  /**
   * Reads a log from its start, then waits for further entries. Yields null when nothing has arrived for a while. Ends
   * without an error when the log cannot be read, and when `signal` aborts.
   */
  follow(turnId: string, signal: AbortSignal): AsyncIterable<TurnLogEntry | null>;
}

/** Writes the log of one turn. Its methods never throw and never wait. */
export interface TurnLogWriter {
  /**
   * Adds an entry.
   * @param log returns all entries of the log up to this one, which are written again if the log has lost entries or
   * has become long
   */
  add(entry: string, log: () => readonly string[]): void;
  /** Ends the log: it is deleted after a short time. */
  end(): void;
}

/** One entry of a log. */
export interface TurnLogEntry {
  readonly text: string;
  /** True for the first entry: the log starts, also when it is written again. */
  readonly isFirst: boolean;
  /** True for entries that existed before the reader came. */
  readonly isPast: boolean;
}
