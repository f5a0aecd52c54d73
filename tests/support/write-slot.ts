/** A connection that may hold the write lock. */
export interface SlotOwner {
  /** Rolls its transaction back and releases the slot; its next request fails with that reason. */
  rollBackByForce(): void;
}

interface WaitingWriter {
  readonly owner: SlotOwner;
  /** False: refused. */
  readonly grant: (isGranted: boolean) => void;
}

const checkpoint: SlotOwner = { rollBackByForce: () => {} };

/**
 * The write lock of a libSQL server, which writers wait for in the order in which they came (libsql-server 0.24,
 * src/connection/connection_manager.rs; its comments name the cases in which a writer is refused).
 */
export class WriteSlot {
  readonly #transactionMs: number;
  #owner: SlotOwner | null = null;
  /** When the owner got the slot; milliseconds of `performance.now()`. */
  #since = 0;
  #waiting: WaitingWriter[] = [];
  #theft: NodeJS.Timeout | undefined;

  /** @param transactionMs after which a transaction loses the slot to a waiting writer */
  constructor(transactionMs: number) {
    this.#transactionMs = transactionMs;
  }

  /** How many writers wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits for the slot. @returns false if the writer is refused (SQLITE_BUSY), because a checkpoint runs or begins */
  async acquire(owner: SlotOwner): Promise<boolean> {
    if (this.#owner === owner) return true;
    if (this.#owner === checkpoint) return false;
    if (this.#owner === null) {
      this.#give(owner);
      return true;
    }
    return new Promise((resolve) => {
      this.#waiting.push({ owner, grant: resolve });
      this.#limitOwner();
    });
  }

  /** Passes the slot on to the next writer; does nothing for a connection that does not hold it. */
  release(owner: SlotOwner): void {
    if (this.#owner !== owner) return;
    clearTimeout(this.#theft);
    this.#owner = null;
    const next = this.#waiting.shift();
    if (!next) return;
    this.#give(next.owner);
    next.grant(true);
    this.#limitOwner();
  }

  /** Begins a checkpoint once the slot is free: all writers are refused until it ends. @returns ends it */
  async beginCheckpoint(): Promise<() => void> {
    await this.acquire(checkpoint);
    this.refuseWaiting();
    return () => this.release(checkpoint);
  }

  /** Refuses everyone who waits. */
  refuseWaiting(): void {
    for (const { grant } of this.#waiting.splice(0)) grant(false);
  }

  #give(owner: SlotOwner): void {
    this.#owner = owner;
    this.#since = performance.now();
  }

  /** A transaction is rolled back only if another one waits for the slot. */
  #limitOwner(): void {
    clearTimeout(this.#theft);
    const owner = this.#owner;
    if (owner === null || owner === checkpoint || this.#waiting.length === 0) return;
    const leftMs = this.#since + this.#transactionMs - performance.now();
    this.#theft = setTimeout(() => owner.rollBackByForce(), Math.max(0, leftMs));
  }
}
