import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { shorten } from '#server/core/text/short-text';
import { type Clause, splitClauses, valueOf } from '#server/models/offline/clauses';
import type { Conversation, RecordedCall, Scene } from '#server/models/offline/conversation';
import { ABILITIES, workFor } from '#server/models/offline/requests';
import { type Call, isWrite, type Made, objectOf, textOf, type Work } from '#server/models/offline/work';

/** The next step: calls, or the text that ends the turn. */
export type Plan = readonly RecordedCall[] | string;

const NO_TOOLS: ReadonlySet<string> = new Set();

/** Maximum number of requests in one message; the reply declines the rest. */
const MAX_CLAUSES = 40;

const CANNOT_READ_FILES =
  'I am the basic assistant and do not read attached files; a connected model can. They stay with your message.';

/** Decides the next step of the newest request from the conversation and the names of the offered tools only. */
export function planStep(conversation: Conversation, offered: ReadonlySet<string> = NO_TOOLS): Plan {
  const { texts, calls, partial } = conversation.open;
  const journal = new Journal(texts[0] ?? '', calls);
  const scene: Scene = {
    conversation,
    last: null,
    isOffered: (toolName) => offered.has(toolName),
    nextWriteIsLost: () => journal.nextWriteIsLost(),
  };
  for (const { outcome, ...call } of conversation.earlier) if (outcome) follow(scene, { ...call, outcome });

  scene.last = conversation.open.chosen?.entry ?? scene.last;
  const work = workOf(scene);
  let state = work.next();
  while (!state.done) {
    const taken = state.value.map((call) => journal.take(call));
    const pending = taken.filter(({ outcome }) => outcome === null);
    if (pending.length > 0) return pending;
    const made = taken.flatMap(({ outcome, ...call }) => (outcome ? [{ ...call, outcome }] : []));
    for (const each of made) follow(scene, each);
    state = work.next(made);
  }
  // A step that was cut off has already written the beginning.
  const said = partial !== '' && state.value.startsWith(partial) ? partial.length : 0;
  return state.value.slice(said) || 'That was all.';
}

function* workOf(scene: Scene): Work {
  const clauses = scene.conversation.open.texts.flatMap(splitClauses);
  const replies: string[] = [];
  let isPuzzled = false;
  for (const clause of clauses.slice(0, MAX_CLAUSES)) {
    const work = workFor(clause, scene);
    replies.push(work === null ? notUnderstood(clause) : yield* work);
    isPuzzled ||= work === null;
  }
  // Added once, even if several requests were not understood.
  if (isPuzzled) replies.push(ABILITIES);
  if (clauses.length > MAX_CLAUSES) {
    replies.push(`I did the first ${MAX_CLAUSES} of ${clauses.length} requests; please send the others again.`);
  }
  if (clauses.length === 0) replies.push('I see no request in your message.');
  if (scene.conversation.open.hasFiles) replies.push(CANNOT_READ_FILES);
  return [...new Set(replies)].join('\n');
}

function notUnderstood({ text, quotes }: Clause): string {
  return `I cannot do this: "${shorten(valueOf(text, quotes), 200)}".`;
}

/** Updates the meaning of "it". If a page could not be created, "it" must not refer to another one. */
function follow(scene: Scene, { toolName, outcome }: Made): void {
  if (outcome.kind === 'done') {
    const { id, type } = objectOf(outcome.value);
    if (type === 'page' || type === 'post') scene.last = textOf(id);
  } else if (toolName === 'create_content' && outcome.kind !== 'lost') scene.last = null;
}

/**
 * The calls that the prompt shows for the open request, returned again as its work is repeated.
 *
 * The id of each call contains how many writes of the request were done before it. If a compaction in the middle of a
 * turn removes the first calls from the prompt, a later one still shows the progress: earlier calls are `lost`, and are
 * not repeated.
 */
class Journal {
  readonly #key: string;
  readonly #unused: RecordedCall[];
  readonly #visible: ReadonlySet<number>;
  readonly #reached: number;
  #writes = 0;

  /** @param request its hash is part of the ids, so that those of another request are not mistaken for this one's */
  constructor(request: string, calls: readonly RecordedCall[]) {
    this.#key = createHash('sha256').update(request).digest('hex').slice(0, 4);
    this.#unused = calls.filter(({ outcome }) => outcome !== null);
    const writes = this.#unused.filter(({ toolName }) => isWrite(toolName));
    this.#visible = new Set(writes.map(({ id }) => this.#positionOf(id)));
    this.#reached = Math.max(0, ...calls.map(({ id }) => this.#positionOf(id)));
  }

  /** The call with its outcome; null as outcome if the call has not been made. */
  take(call: Call): RecordedCall {
    const writes = isWrite(call.toolName);
    const ofTool = (each: RecordedCall) => each.toolName === call.toolName;
    const same = this.#unused.findIndex((each) => ofTool(each) && isDeepStrictEqual(each.input, call.input));
    // The prompt may contain a long input in a cut form: then the position identifies the call.
    const isHere = (each: RecordedCall) => each.outcome?.kind === 'done' && this.#positionOf(each.id) === this.#writes;
    const index = same === -1 && writes ? this.#unused.findIndex((each) => ofTool(each) && isHere(each)) : same;
    const recorded = index === -1 ? undefined : this.#unused.splice(index, 1)[0];
    const position = writes ? this.#writes : Math.max(this.#writes, this.#reached);
    const taken = recorded ?? {
      ...call,
      id: `call_${position}_${this.#key}`,
      outcome: writes && this.nextWriteIsLost() ? { kind: 'lost' as const } : null,
    };
    if (writes && (taken.outcome?.kind === 'done' || taken.outcome?.kind === 'lost')) this.#writes += 1;
    return taken;
  }

  nextWriteIsLost(): boolean {
    return this.#writes < this.#reached && !this.#visible.has(this.#writes);
  }

  #positionOf(id: string): number {
    const [, position, key] = /^call_(\d{1,4})_([0-9a-f]{4})/.exec(id) ?? [];
    return key === this.#key ? Number(position) : -1;
  }
}
