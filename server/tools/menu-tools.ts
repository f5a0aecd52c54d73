import { z } from 'zod';
import { flatItems } from '#server/site/dead-links';
import { enteredItemSchema, linkFields } from '#server/site/site-settings';
import type { NavigationItem } from '#server/core/site/content';
import type { FieldChange } from '#server/core/site/changes';
import { InvalidInputError, ToolError } from '#server/core/errors';
import type { JsonObject, JsonValue } from '#server/core/json';
import { MAX_NAVIGATION_ITEMS } from '#server/core/limits';
import { serverText } from '#server/core/messages/server-text';
import { effect, revisionOf, siteTarget } from '#server/tools/effects';
import { itemInput as menuItemInput, itemOperation, type ItemStep, applyItemStep } from '#server/tools/section-tools';
import { notesResult } from '#server/tools/result-fields';
import { fieldsInput, inputProblem, positionInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';
import { textsOfNotes } from '#server/core/message-data';

/** Reads the site's menu. */
export const getNavigation = defineTool({
  name: 'get_navigation',
  description: 'The menu.',
  input: z.object({}),
  async execute(_input, { content, noteSeen }) {
    noteSeen?.('navigation', await revisionOf(content, 'navigation'));
    const items = await content.navigation();
    const hidden = (await content.hiddenMenuItems('published')).map(({ href }) => href);
    return { items: navigationJson(items), ...(hidden.length > 0 && { visitors_do_not_see: hidden }) };
  },
});

/** Menu item, described in words for the model, because many providers refuse the recursive schema that checks it. */
const itemInput = z
  .unknown()
  .pipe(enteredItemSchema)
  .meta({
    type: 'object',
    properties: {
      label: { type: 'string' },
      href: { type: 'string', description: '/slug or URL' },
      children: { type: 'array', items: { type: 'object' }, description: 'items too' },
    },
    required: ['label', 'href'],
  });

const menuInput = z.strictObject({
  op: itemOperation.optional(),
  item: menuItemInput.describe('label or number: 2, 2.1'),
  fields: fieldsInput.optional().describe('label, href'),
  position: positionInput.optional(),
  under: z.string().max(80).meta({ isName: true }).optional().describe('parent item; "" top'),
  items: z.array(itemInput).max(MAX_NAVIGATION_ITEMS).optional(),
});

/** Changes one item of the site's menu, or replaces the whole menu. */
export const setNavigation = defineTool({
  name: 'set_navigation',
  description: 'Change the menu, live at once: op for one item, or all items.',
  input: menuInput,
  writes: true,
  policy: 'ask',
  async effect(input, { content, origin }) {
    const present = await content.navigation();
    const wanted = wantedMenu(input, present);
    const notes = await content.setNavigation(wanted, origin, { dryRun: true });
    return effect({
      summary: serverText('change-menu', { isReplaced: input.op === undefined }),
      targets: [await siteTarget(content, 'navigation', 'Menu')],
      changes: menuChanges(present, wanted),
      warnings: textsOfNotes(notes),
    });
  },
  async execute(input, { content, origin, ifRevision, noteSummary }) {
    // A change to one item is based on the menu that was read.
    const read = input.op === undefined ? undefined : await revisionOf(content, 'navigation');
    const items = wantedMenu(input, await content.navigation());
    const change = await content.setNavigation(items, origin, { ifRevision: ifRevision ?? read });
    noteSummary?.(change.summaryMessage);
    return {
      changeId: change.id,
      summary: change.summary,
      live: 'It applies at once.',
      items: navigationJson(items),
      ...notesResult(change),
    };
  },
});

/** @throws ToolError if a step names no item or creates an invalid one, InvalidInputError if nothing would change */
function wantedMenu(
  { items, op, ...step }: z.infer<typeof menuInput>,
  present: readonly NavigationItem[],
): readonly NavigationItem[] {
  if ((items === undefined) === (op === undefined)) {
    throw new InvalidInputError('Give op with item and fields to change one item, or items to replace the whole menu.');
  }
  const wanted = op === undefined ? (items ?? []) : menuAfter(present, { op, ...step });
  for (const item of flatItems(wanted)) {
    const problem = inputProblem({ input: itemFields }, item);
    if (problem !== null) throw new ToolError(`${problem} So it is of the item ${JSON.stringify(item.label ?? '')}.`);
  }
  return wanted;
}

const itemFields = z.strictObject({ ...linkFields, children: z.unknown().optional() });

/** Lists the items added to the menu, then the removed ones; if there are neither, the new order. */
function menuChanges(from: readonly NavigationItem[], to: readonly NavigationItem[]): FieldChange[] {
  const [before, after] = [menuLines(from), menuLines(to)];
  const removed = before.filter((line) => !after.includes(line));
  const added = after.filter((line) => !before.includes(line));
  const field = 'menu';
  const changes: FieldChange[] = [];
  if (added.length > 0) changes.push({ field, kind: 'added', before: null, after: added });
  if (removed.length > 0) changes.push({ field, kind: 'removed', before: removed, after: null });
  const isMoved = changes.length === 0 && before.join() !== after.join();
  return isMoved ? [{ field, kind: 'moved', before: before.join(', '), after: after.join(', ') }] : changes;
}

/** `Services › Workshops (/workshops)` */
function menuLines(items: readonly NavigationItem[], above = ''): string[] {
  return items.flatMap(({ label, href, children = [] }) => [
    `${above}${label} (${href})`,
    ...menuLines(children, `${above}${label} › `),
  ]);
}

/** A menu as plain JSON, without empty `children`. */
function navigationJson(items: readonly NavigationItem[]): JsonValue[] {
  return items.map(({ label, href, children }) => ({
    label,
    href,
    ...(children === undefined || children.length === 0 ? {} : { children: navigationJson(children) }),
  }));
}

/** A step on one item of the menu. */
interface MenuStep extends ItemStep {
  /** The item below which it is placed; '': at the top level. Default: its current level, or the top level. */
  readonly under?: string | undefined;
}

/** Position of an item: its index on its level, from 0, after the indices of its parents. */
type Place = readonly number[];

/**
 * The menu after one of its items was added, changed, moved or removed.
 * @throws ToolError that lists the items if the step names none of them
 */
function menuAfter(items: readonly NavigationItem[], step: MenuStep): readonly NavigationItem[] {
  const target = step.under === undefined || step.under === '' ? [] : placeOf(items, step.under);
  if (step.op === 'add') return withStep(items, target, { ...step, item: undefined });
  const place = placeOf(items, step.item ?? '');
  const from = place.slice(0, -1);
  const at = place.at(-1) ?? 0;
  const inList = { ...step, item: String(at + 1) };
  const staysInList = step.under === undefined || target.join() === from.join();
  if (step.op !== 'move' || staysInList) return withStep(items, from, inList);
  if (place.every((number, level) => target[level] === number)) {
    throw new ToolError('An item cannot stand below itself.');
  }
  const fields = { ...listAt(items, from)[at] } as unknown as JsonObject;
  const taken = withStep(items, from, { ...inList, op: 'remove' });
  // Removing an item shifts the later items on its level.
  const isMoved = from.every((number, level) => target[level] === number) && (target[from.length] ?? -1) > at;
  const to = isMoved ? target.with(from.length, target[from.length]! - 1) : target;
  return withStep(taken, to, { op: 'add', fields, position: step.position });
}

function listAt(items: readonly NavigationItem[], [index, ...deeper]: Place): readonly NavigationItem[] {
  return index === undefined ? items : listAt(items[index]?.children ?? [], deeper);
}

/** The menu after a step on the list of children of the item at a position; for an empty position, on the top level. */
function withStep(
  items: readonly NavigationItem[],
  [index, ...deeper]: Place,
  step: ItemStep,
): readonly NavigationItem[] {
  if (index === undefined)
    return applyItemStep(items as unknown as JsonObject[], step).items as unknown as NavigationItem[];
  const { children, ...item } = items[index]!;
  const below = withStep(children ?? [], deeper, step);
  return items.with(index, below.length === 0 ? item : { ...item, children: below });
}

function placesIn(items: readonly NavigationItem[], above: Place = []): [Place, NavigationItem][] {
  return items.flatMap((item, index): [Place, NavigationItem][] => {
    const place = [...above, index];
    return [[place, item], ...placesIn(item.children ?? [], place)];
  });
}

/** The position of an item that is named by number (`2`, `2.1`), label or address. @throws ToolError that lists the items */
function placeOf(items: readonly NavigationItem[], wanted: string): Place {
  const places = placesIn(items).map(
    ([place, item]) => [place.map((index) => index + 1).join('.'), place, item] as const,
  );
  const key = wanted.trim().toLowerCase();
  const named = places.filter(([, , { label, href }]) => label.toLowerCase() === key || href.toLowerCase() === key);
  const numbered = places.filter(([number]) => number === key);
  const [found, ...others] = named.length === 1 ? named : numbered.length === 1 ? numbered : named;
  if (found !== undefined && others.length === 0) return found[1];
  const problem =
    key === ''
      ? 'Say which item.'
      : found === undefined
        ? `The menu has no item "${wanted}".`
        : `"${wanted}" fits several.`;
  const list = places.map(([number, , { label }]) => `${number} "${label}"`);
  throw new ToolError(`${problem} Its items: ${list.length === 0 ? 'none yet' : list.join(', ')}. Give the number.`);
}
