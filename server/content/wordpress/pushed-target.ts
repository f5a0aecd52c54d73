import type { MirrorTransaction, RemoteAddress } from '#server/content/wordpress/mirror';

/** What was written to WordPress for one thing of a write, and is still to be kept here. */
export interface PushedTarget {
  /** Keeps what WordPress made of it: the link and, where that is not what was asked for, a change by `external`. */
  settle(tx: MirrorTransaction): Promise<void>;
  /** Makes WordPress what it was, as far as it can be. */
  putBack(): Promise<void>;
  /** Where it is there now, for what is written after it. */
  readonly addresses: readonly RemoteAddress[];
  /** What WordPress cannot keep or has made otherwise, in plain sentences. */
  readonly notes: readonly string[];
  /** WordPress made something else of it. */
  readonly corrected: boolean;
}
