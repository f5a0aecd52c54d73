/** What `longestBlock` saw. */
export interface Block<T> {
  readonly result: T;
  /** Most that this thread computed between two turns of the event loop; milliseconds. */
  readonly ms: number;
}

/**
 * Runs `work` beside an event loop that looks at the clock in each turn. The clock is the processor time of this thread:
 * whatever else the machine has to do meanwhile does not count.
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

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
