import type { JsonObject } from '#server/core/json';
import { hasWords, IT, normalized } from '#server/models/offline/clauses';
import type { Scene } from '#server/models/offline/conversation';
import { replyOf } from '#server/models/offline/replies';
import { callOne, isWrite, listOf, type Made, objectOf, textOf, type Work } from '#server/models/offline/work';

/** Error of tools for a name that is not that of exactly one page or post. */
const NAME_PROBLEM = /\bthere is no page or post\b|\bfits several\b/i;

/**
 * Calls a tool on the page or post that `name` means. If none has exactly this name, it looks through the lists and
 * asks the user where several fit, or where a write is meant for one whose name fits only in part. Returns what to say
 * instead where nothing was called.
 */
export function* callOnEntry(
  scene: Scene,
  name: string,
  toolName: string,
  input: JsonObject = {},
): Work<Made | string> {
  const ref = name === IT ? scene.last : name;
  if (ref === null) return 'I cannot tell which page or post you mean. Please name it.';
  const first = yield* callOne(toolName, { ref, ...input });
  if (first.outcome.kind !== 'done') scene.last = ref;
  if (first.outcome.kind !== 'failed' || !NAME_PROBLEM.test(first.outcome.error)) return first;

  const all = yield* listEntries();
  const wanted = normalized(ref);
  const exact = all.filter(({ title }) => normalized(title) === wanted);
  const partly = all.filter(({ title, slug }) => wanted !== '' && hasWords(`${title} ${slug}`, wanted.split(' ')));
  const choices = exact.length > 0 ? exact : partly;
  const [match, another] = choices;
  if (match === undefined) return `There is no page or post called "${ref}".`;
  if (another === undefined && (exact.length > 0 || !isWrite(toolName))) {
    return yield* callOne(toolName, { ref: match.id, ...input });
  }
  const labels = choices.map(({ title, type, slug }) => `${title} (${type}, slug ${slug})`);
  const question = another === undefined ? `Did you mean ${labels[0]}?` : `Which one do you mean by "${ref}"?`;
  const chosen = choices[yield* ask(question, labels)];
  return chosen ? yield* callOne(toolName, { ref: chosen.id, ...input }) : question;
}

/** Asks the user to choose among the first few options; the index of the chosen one, -1 for none. */
export function* ask(question: string, options: readonly string[]): Work<number> {
  const { outcome } = yield* callOne('ask_user', { question, options: options.slice(0, 8) });
  return outcome.kind === 'done' ? options.indexOf(textOf(objectOf(outcome.value).answer)) : -1;
}

/** Calls a tool on a page or post; what came of it in words. */
export function* actOnEntry(scene: Scene, name: string, toolName: string, input: JsonObject = {}): Work {
  const made = yield* callOnEntry(scene, name, toolName, input);
  return typeof made === 'string' ? made : replyOf(made);
}

function* listEntries(): Work<Record<'id' | 'type' | 'title' | 'slug', string>[]> {
  const made = yield ['page', 'post'].map((type) => ({ toolName: 'list_content', input: { type, limit: 100 } }));
  return made.flatMap(({ input, outcome }) => {
    const items = outcome.kind === 'done' ? listOf(objectOf(outcome.value).items) : [];
    return items.map(objectOf).map(({ id, title, slug }) => ({
      id: textOf(id),
      type: textOf(input.type),
      title: textOf(title),
      slug: textOf(slug),
    }));
  });
}
