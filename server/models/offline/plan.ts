import { createHash } from 'node:crypto';
import type { Conversation, RecordedCall } from '#server/models/offline/conversation';
import { splitClauses } from '#server/models/offline/grammar';
import { recognize } from '#server/models/offline/intents';
import type { Request } from '#server/models/offline/requests';
import { type Call, canonical, type Outcome, together, wasNotDone, type Work } from '#server/models/offline/steps';
import { workFor } from '#server/models/offline/work-for';
import { isWrite, World } from '#server/models/offline/world';

/** What this step does: calls, or the answer that ends the turn. */
export type Plan =
  { readonly kind: 'calls'; readonly calls: readonly PendingCall[] } | { readonly kind: 'text'; readonly text: string };

/** A message may ask for this much; the rest is declined in words. */
const MAX_CLAUSES = 40;

const CANNOT_READ_FILES =
  'I am the built-in offline assistant and do not read attached files; a connected model can. They stay with your message.';

/** Requests that only look, or only publish, do not wait for one another. */
const GROUP_OF: Partial<Record<Request['intent'], string>> = {
  list: 'look',
  planned: 'look',
  find: 'look',
  show: 'look',
  changes: 'look',
  'section-types': 'look',
  publish: 'publish',
  unpublish: 'publish',
};

/** Decides the next step of the newest request from nothing but the conversation as the prompt shows it. */
export function planStep(conversation: Conversation): Plan {
  const { texts, calls, partial } = conversation.open;
  const key = createHash('sha256')
    .update(texts[0] ?? '')
    .digest('hex')
    .slice(0, 4);
  const journal = new Journal(key, calls);
  const world = new World(() => journal.nextWriteIsLost());
  for (const call of conversation.earlier) if (call.outcome) world.observe(call, call.outcome);
  world.beginRequest();

  const work = answer(conversation, world);
  let state = work.next();
  while (!state.done) {
    const taken = state.value.map((call) => ({ call, found: journal.take(call) }));
    const pending = taken.flatMap(({ found }) => ('id' in found ? [found] : []));
    if (pending.length > 0) return { kind: 'calls', calls: pending };
    const outcomes = taken.flatMap(({ found }) => ('id' in found ? [] : [found]));
    for (const [index, { call }] of taken.entries()) {
      const outcome = outcomes[index];
      if (outcome) world.observe(call, outcome);
    }
    state = work.next(outcomes);
  }
  return { kind: 'text', text: remainder(state.value, partial) };
}

function* answer(conversation: Conversation, world: World): Work<string> {
  const clauses = conversation.open.texts.flatMap(splitClauses);
  const requests = clauses.slice(0, MAX_CLAUSES).map(recognize);
  const replies: string[] = [];
  for (const group of grouped(requests)) {
    replies.push(...(yield* together(group.map((request) => workFor(request, conversation, world)))));
  }
  if (clauses.length > MAX_CLAUSES) {
    replies.push(`I did the first ${MAX_CLAUSES} of ${clauses.length} requests; please send the others again.`);
  }
  if (replies.length === 0) replies.push('I see no request in your message.');
  if (conversation.open.hasFiles) replies.push(CANNOT_READ_FILES);
  return [...new Set(replies)].join('\n');
}

function grouped(requests: readonly Request[]): Request[][] {
  const groups: Request[][] = [];
  for (const request of requests) {
    const last = groups.at(-1);
    const group = GROUP_OF[request.intent];
    // "it" means what came before, so it has to wait for it.
    const follows = 'ref' in request && request.ref === 'it';
    if (last?.[0] && group !== undefined && GROUP_OF[last[0].intent] === group && !follows) last.push(request);
    else groups.push([request]);
  }
  return groups;
}

/** What is left to say when a cut step has already said the beginning. */
function remainder(text: string, partial: string): string {
  if (partial === '' || !text.startsWith(partial)) return text;
  return text.slice(partial.length) || 'That was all.';
}

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
class Journal {
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
