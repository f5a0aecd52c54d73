import { type Call, callOne, objectOf, type Outcome, textOf, type Work } from '#server/models/offline/steps';
import { type ListedEntry, listEntries, matchEntries, type World } from '#server/models/offline/world';

/** One call that was made, with what came of it. */
export interface Made {
  readonly call: Call;
  readonly outcome: Outcome;
}

/** What tools say when a name is not that of exactly one entry. */
const NAME_PROBLEM = /\bthere is no page or post\b|\bfits several\b/i;

/** A reply that stands for work which could not begin. */
export class Unresolved {
  readonly reply: string;

  constructor(reply: string) {
    this.reply = reply;
  }
}

/**
 * Calls a tool on the entry that `name` means. When no entry has exactly this name, looks through the lists, and asks
 * the user where several fit or, with `confirm`, where the name fits only in part.
 */
export function* callOnEntry(
  world: World,
  name: string,
  toCall: (ref: string) => Call,
  options: { confirm?: boolean } = {},
): Work<Made[] | Unresolved> {
  const ref = world.refOf(name);
  if (ref === null) return new Unresolved('I cannot tell which page or post you mean. Please name it.');
  const first = yield* make(toCall(ref));
  world.mention(ref);
  if (first.outcome.kind !== 'failed' || !NAME_PROBLEM.test(first.outcome.error)) return [first];
  const match = matchEntries(yield* listEntries(), ref);
  switch (match.kind) {
    case 'none':
      return new Unresolved(`There is no page or post called "${ref}".`);
    case 'each': {
      const calls = match.entries.map((entry) => toCall(entry.id));
      const outcomes = yield calls;
      return calls.map((call, index) => ({ call, outcome: outcomes[index] ?? { kind: 'lost' } }));
    }
    case 'one':
      if (match.exact || options.confirm !== true) return [yield* make(toCall(match.entry.id))];
      return yield* ask(`Did you mean ${labelOf(match.entry)}?`, [match.entry], toCall);
    case 'several':
      return yield* ask(`Which one do you mean by "${ref}"?`, match.entries, toCall);
  }
}

function* make(call: Call): Work<Made> {
  return { call, outcome: yield* callOne(call.toolName, call.input) };
}

function* ask(
  question: string,
  entries: readonly ListedEntry[],
  toCall: (ref: string) => Call,
): Work<Made[] | Unresolved> {
  const options = entries.map(labelOf);
  const outcome = yield* callOne('ask_user', { question, options });
  const answer = outcome.kind === 'done' ? textOf(objectOf(outcome.value).answer) : '';
  const chosen = entries[options.indexOf(answer)];
  return chosen ? [yield* make(toCall(chosen.id))] : new Unresolved(question);
}

function labelOf({ title, type, slug }: ListedEntry): string {
  return `${title} (${type}, slug ${slug})`;
}
