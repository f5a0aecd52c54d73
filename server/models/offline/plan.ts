import { createHash } from 'node:crypto';
import type { Conversation } from '#server/models/offline/conversation';
import { splitClauses } from '#server/models/offline/grammar';
import { recognize } from '#server/models/offline/intents';
import { Journal } from '#server/models/offline/journal';
import type { PendingCall } from '#server/models/offline/journal';
import type { Request } from '#server/models/offline/requests';
import { together } from '#server/models/offline/steps';
import type { Work } from '#server/models/offline/steps';
import { workFor } from '#server/models/offline/work-for';
import { World } from '#server/models/offline/world';

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
