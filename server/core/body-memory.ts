import { inlineText } from '#server/core/message-data';
import { RateLimitedError } from '#server/core/errors';

/**
 * Maximum bytes of all bodies that this process holds simultaneously. A parsed body takes up to five times its bytes
 * (npm run bench:limits), and the server of docs/deploying.md has 1 GB, of which 300 MB are taken when it is idle.
 */
const MAX_TOTAL_BYTES = 80_000_000;
/** The part of it that large bodies share, so that messages and edits are accepted while large files arrive. */
const MAX_LARGE_BODY_BYTES = 64_000_000;
/** Larger bodies count as large: messages and edits are smaller. */
const SMALL_BODY_BYTES = 64_000;
/** Maximum bytes of one owner's large bodies: one of the largest size, so that two owners can send one each. */
const MAX_LARGE_BYTES_PER_OWNER = 32_000_000;
/** Maximum bytes of one owner's small bodies: a quarter of what large bodies leave for them. */
const MAX_SMALL_BYTES_PER_OWNER = 4_000_000;
/** Maximum wait for memory that other bodies use; milliseconds. */
const WAIT_MS = 20_000;
/** `Retry-After` of the error after that wait. */
const RETRY_MS = 5_000;

/** The memory that is reserved for one body. */
export interface HeldBody {
  /**
   * Reserves a total of `bytes` for this body before they arrive. Waits while other bodies use the memory.
   * @throws RateLimitedError after 20 seconds
   */
  reserve(bytes: number): Promise<void>;
  /**
   * Ensures that a total of `bytes` is reserved, for a body of unknown length. @throws RateLimitedError without waiting
   */
  grow(bytes: number): void;
  /** Frees the memory; a second call does nothing. */
  release(): void;
}

/** Bytes that are reserved for small and for large bodies. */
interface ReservedBytes {
  small: number;
  large: number;
}

const NONE: Readonly<ReservedBytes> = { small: 0, large: 0 };

/** The sums after the reservation of one body has changed from `before` to `bytes`. */
function withBody({ small, large }: Readonly<ReservedBytes>, before: number, bytes: number): ReservedBytes {
  const [wasLarge, isLarge] = [before > SMALL_BODY_BYTES, bytes > SMALL_BODY_BYTES];
  return {
    small: small - (wasLarge ? 0 : before) + (isLarge ? 0 : bytes),
    large: large - (wasLarge ? before : 0) + (isLarge ? bytes : 0),
  };
}

/** A body that waits for memory. */
interface WaitingBody {
  /** Returns whether the memory could be reserved now. */
  readonly tryAgain: () => boolean;
}

/** Limits the bytes of all bodies that are in memory simultaneously, in this process. */
export class BodyMemory {
  readonly #waitMs: number;
  readonly #taken: ReservedBytes = { small: 0, large: 0 };
  readonly #owners = new Map<string, ReservedBytes>();
  readonly #queue = new Set<WaitingBody>();

  /** @param waitMs default 20 seconds */
  constructor(waitMs = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /** Bytes that are currently reserved. */
  get taken(): number {
    return this.#taken.small + this.#taken.large;
  }

  /** Registers a body that is about to arrive. @param owner id of the user that sent the body, also with an API key; the address of an anonymous sender */
  open(owner: string): HeldBody {
    let held = 0;
    const take = (bytes: number): boolean => {
      if (bytes <= held) return true;
      if (!this.#fits(owner, held, bytes)) return false;
      this.#change(owner, held, bytes);
      held = bytes;
      return true;
    };
    return {
      reserve: async (bytes) => {
        if (!take(bytes) && !(await this.#wait(() => take(bytes)))) throw tooMany();
      },
      grow: (bytes) => {
        // Reserves in steps, so that not every piece that arrives is counted separately.
        if (bytes > held && !take(bytes + SMALL_BODY_BYTES) && !take(bytes)) throw tooMany();
      },
      release: () => {
        this.#change(owner, held, 0);
        held = 0;
        for (const waiting of this.#queue) if (waiting.tryAgain()) this.#queue.delete(waiting);
      },
    };
  }

  #fits(owner: string, before: number, bytes: number): boolean {
    const all = withBody(this.#taken, before, bytes);
    if (all.small + all.large > MAX_TOTAL_BYTES || all.large > MAX_LARGE_BODY_BYTES) return false;
    const own = withBody(this.#owners.get(owner) ?? NONE, before, bytes);
    return bytes > SMALL_BODY_BYTES ? own.large <= MAX_LARGE_BYTES_PER_OWNER : own.small <= MAX_SMALL_BYTES_PER_OWNER;
  }

  #change(owner: string, before: number, bytes: number): void {
    Object.assign(this.#taken, withBody(this.#taken, before, bytes));
    const own = withBody(this.#owners.get(owner) ?? NONE, before, bytes);
    if (own.small + own.large > 0) this.#owners.set(owner, own);
    else this.#owners.delete(owner);
  }

  /** Resolves to true once `take` succeeds, in the order of arrival among those that fit, or to false. */
  #wait(take: () => boolean): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting: WaitingBody = {
      tryAgain: () => {
        if (!take()) return false;
        clearTimeout(timer);
        resolve(true);
        return true;
      },
    };
    const timer = setTimeout(() => {
      this.#queue.delete(waiting);
      resolve(false);
    }, this.#waitMs);
    this.#queue.add(waiting);
    return promise;
  }
}

function tooMany(): RateLimitedError {
  return new RateLimitedError(
    inlineText('too-many-bodies', {}, 'Too many request bodies are being received. Try again in a few seconds.'),
    RETRY_MS,
  );
}
