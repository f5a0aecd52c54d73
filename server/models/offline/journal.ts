import type { RecordedCall } from '#server/models/offline/conversation';
import { canonical } from '#server/models/offline/json';
import { type Call, type Outcome, wasNotDone } from '#server/models/offline/steps';
import { isWrite } from '#server/models/offline/world';

/** A call that is still to be made; `id` is its tool call id up to what makes it unique. */
export interface PendingCall extends Call {
  readonly id: string;
}

/**
 * The calls that the prompt shows for the open request, handed out again as the planner repeats its work.
 *
 * Every tool call id says how many writes of the request had succeeded before it. So when a compaction in the middle
 * of a turn took the first calls out of the prompt, a later one still tells how far the work had come: what lies
 * before it is `lost`, not to be done twice.
 */
export class Journal {
  readonly #key: string;
  readonly #unused: RecordedCall[];
  readonly #visible: ReadonlySet<number>;
  readonly #reached: number;
  #writes = 0;

  /** @param key names the request, so that ids of another request are not mistaken for this one's */
  constructor(key: string, calls: readonly RecordedCall[]) {
    this.#key = key;
    this.#unused = calls.filter((call) => call.outcome !== null);
    this.#visible = new Set(
      this.#unused.filter((call) => isWrite(call.toolName)).map((call) => this.#positionOf(call)),
    );
    this.#reached = Math.max(0, ...calls.map((call) => this.#positionOf(call)));
  }

  /** What came of this call, or the call as it is to be made. */
  take(call: Call): Outcome | PendingCall {
    const recorded = this.#takeRecorded(call);
    const write = isWrite(call.toolName);
    if (recorded === undefined && !(write && this.nextWriteIsLost())) {
      return { ...call, id: `call_${write ? this.#writes : Math.max(this.#writes, this.#reached)}_${this.#key}` };
    }
    const outcome = recorded?.outcome ?? { kind: 'lost' };
    if (write && !wasNotDone(outcome)) this.#writes += 1;
    return outcome;
  }

  /** Whether the next write of the request is already done and out of sight. */
  nextWriteIsLost(): boolean {
    return this.#writes < this.#reached && !this.#visible.has(this.#writes);
  }

  #takeRecorded(call: Call): RecordedCall | undefined {
    const wanted = canonical(call.input);
    let index = this.#unused.findIndex(
      (known) => known.toolName === call.toolName && canonical(known.input) === wanted,
    );
    if (index === -1) index = this.#unused.findIndex((known) => this.#isSameWrite(known, call));
    return index === -1 ? undefined : this.#unused.splice(index, 1)[0];
  }

  /** A list computed again, from a state that already holds the change, is another list: its place tells. */
  #isSameWrite(known: RecordedCall, call: Call): boolean {
    if (known.toolName !== call.toolName || this.#positionOf(known) !== this.#writes) return false;
    if (call.toolName === 'update_section') return known.input.sectionId === call.input.sectionId;
    return call.toolName === 'set_navigation';
  }

  #positionOf({ id }: RecordedCall): number {
    const [, position, key] = /^call_(\d{1,4})_([0-9a-f]{4})/.exec(id) ?? [];
    return key === this.#key ? Number(position) : -1;
  }
}
