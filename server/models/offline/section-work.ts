import { Unresolved, callOnEntry } from '#server/models/offline/call-on-entry';
import { said } from '#server/models/offline/entry-work';
import { callOne, listOf, type Work } from '#server/models/offline/steps';
import { replyOf } from '#server/models/offline/replies';
import type { Fields, Ordinal, RequestOf } from '#server/models/offline/requests';
import { fieldOf } from '#server/models/offline/section-words';
import { simply } from '#server/models/offline/site-work';
import type { KnownEntry, KnownSection, World } from '#server/models/offline/world';
import { withArticle } from '#server/core/visible-text';

/** Adds a section, last or at a position. */
export function* addSection({ ref, type, fields, position }: RequestOf<'add-section'>, world: World): Work<string> {
  const input = { type, fields, ...(position === undefined ? {} : { position }) };
  return said(yield* callOnEntry(world, ref, (id) => ({ toolName: 'add_section', input: { ref: id, ...input } })));
}

/** Sets one field of a section; without a type, of the first section that has such a field. */
export function* changeSection(request: RequestOf<'change-section'>, world: World): Work<string> {
  const { type, label, value, ordinal } = request;
  return yield* withEntry(world, request.ref, false, 'update_section', (entry) => {
    const fitting = entry.sections.filter((section) => fieldOf(section.type, label) !== undefined);
    // "the text on Home" is a text section's, though other types have something called text as well.
    const namesake = pickOfType(entry, label, ordinal);
    const section = type === undefined ? (namesake ?? pick(fitting, ordinal)) : pickOfType(entry, type, ordinal);
    if (!section) return missing(entry, type ?? `section with ${withArticle(label)}`);
    const field = fieldOf(section.type, label);
    if (field === undefined)
      return `There is no ${label} of ${withArticle(section.type)} section that I can set on its own.`;
    return { sectionId: section.id, fields: { [field]: value } };
  });
}

/** Adds a question or feature to the list of the first such section; the list is read anew, it is replaced whole. */
export function* addItem({ ref, type, item }: RequestOf<'add-item'>, world: World): Work<string> {
  return yield* withEntry(world, ref, true, 'update_section', (entry) => {
    const section = pickOfType(entry, type, 0);
    if (!section) return missing(entry, type);
    const items = [...listOf(section.fields.items), item];
    return { sectionId: section.id, fields: { items } };
  });
}

/** Moves a section within its entry. */
export function* moveSection(request: RequestOf<'move-section'>, world: World): Work<string> {
  return yield* withEntry(world, request.ref, false, 'move_section', (entry) => {
    const section = pickOfType(entry, request.type, request.ordinal);
    if (!section) return missing(entry, request.type);
    const position = request.position === -1 ? entry.sections.length : request.position;
    return { sectionId: section.id, position };
  });
}

/** Removes a section. */
export function* removeSection(request: RequestOf<'remove-section'>, world: World): Work<string> {
  return yield* withEntry(world, request.ref, false, 'remove_section', (entry) => {
    const section = pickOfType(entry, request.type, request.ordinal);
    if (!section) return missing(entry, request.type);
    return { sectionId: section.id };
  });
}

/**
 * Decides a call's input from an entry's present sections, or a reply instead. What a result in the prompt shows is used as
 * it is; if the call then fails, because the entry was edited elsewhere since, it is read anew and decided once more.
 */
function* withEntry(
  world: World,
  name: string,
  fresh: boolean,
  toolName: string,
  decide: (entry: KnownEntry) => Fields | string,
): Work<string> {
  if (world.nextWriteIsLost()) return yield* simply(toolName, {});
  const entry = yield* readEntry(world, name, fresh);
  if (entry instanceof Unresolved) return entry.reply;
  const input = decide(entry);
  if (typeof input === 'string' && entry.fresh) return input;
  if (typeof input !== 'string') {
    const outcome = yield* callOne(toolName, input);
    if (outcome.kind !== 'failed' || entry.fresh) return replyOf({ call: { toolName, input }, outcome });
  }
  const again = yield* readEntry(world, entry.id, true);
  if (again instanceof Unresolved) return again.reply;
  const second = decide(again);
  if (typeof second === 'string') return second;
  return yield* simply(toolName, second);
}

function* readEntry(world: World, name: string, fresh: boolean): Work<KnownEntry | Unresolved> {
  const known = world.find(world.refOf(name) ?? '', fresh);
  if (known) {
    world.mention(known.id);
    return known;
  }
  const made = yield* callOnEntry(world, name, (ref) => ({ toolName: 'get_content', input: { ref } }));
  if (made instanceof Unresolved) return made;
  const [first] = made;
  if (first?.outcome.kind !== 'done') return new Unresolved(said(made));
  const read = world.find(world.refOf('it') ?? '', true);
  return read ?? new Unresolved('I could not read that page: its content did not reach me whole.');
}

function pickOfType(entry: KnownEntry, type: string, ordinal: Ordinal): KnownSection | undefined {
  return pick(
    entry.sections.filter((section) => section.type === type),
    ordinal,
  );
}

function pick(sections: readonly KnownSection[], ordinal: Ordinal): KnownSection | undefined {
  return sections.at(ordinal);
}

function missing(entry: KnownEntry, what: string): string {
  const types = entry.sections.map(({ type }) => type).join(', ');
  return `"${entry.title}" has no such section (${what}). Its sections: ${types || 'none'}.`;
}
