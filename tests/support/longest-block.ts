/** What `longestBlock` saw. */
export interface Block<T> {
  readonly result: T;
  /** Most that this thread computed between two turns of the event loop; milliseconds. */
  readonly ms: number;
}

/**
 * Runs `work` while an event loop reads the clock in each turn. The clock is the processor time of this thread, so
 * other work of the machine does not count.
 */
export async function longestBlock<T>(work: () => Promise<T>): Promise<Block<T>> {
  let isOver = false;
  let most = 0;
  let before = threadMs();
  const look = () => {
    const now = threadMs();
    most = Math.max(most, now - before);
    before = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    const result = await work();
    look();
    return { result, ms: most };
  } finally {
    isOver = true;
  }
}

/**
 * Most that one step may keep everybody else waiting: so many times what writing and reading its data as JSON takes in
 * one piece, in the same run. Steps that are worked on in pieces took 0.2 to 2.4 times as long where this was written.
 */
export const MOST_TIMES_JSON = 5;

/** Milliseconds of this thread that writing and reading a value as JSON takes. */
export async function jsonMs(value: unknown): Promise<number> {
  const { ms } = await longestBlock(async () => JSON.parse(JSON.stringify(value)) as unknown);
  return ms;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
