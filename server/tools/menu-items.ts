import type { NavigationItem } from '#server/core/content';
import { ToolError } from '#server/core/errors';
import type { JsonObject } from '#server/core/json';
import { type ItemStep, stepThrough } from '#server/tools/edit-items';

/** A step on one item of the menu. */
export interface MenuStep extends ItemStep {
  /** The item below which it is to stand; '': at the top level. Default: where it stands, or the top level. */
  readonly under?: string | undefined;
}

/** An item's place: among the items below another one, or (null) at the top level. */
interface Place {
  readonly above: number | null;
  readonly index: number;
}

/**
 * The menu after one of its items was added, changed, moved or removed.
 * @throws ToolError that lists the items where the step names none of them
 */
export function menuAfter(items: readonly NavigationItem[], step: MenuStep): readonly NavigationItem[] {
  const above = step.under === undefined || step.under === '' ? null : placeOf(items, step.under).index;
  if (step.op === 'add') return withStep(items, above, { ...step, item: undefined });
  const place = placeOf(items, step.item ?? '');
  const inList = { ...step, item: String(place.index + 1) };
  const staysInList = step.under === undefined || above === place.above;
  if (step.op !== 'move' || staysInList) return withStep(items, place.above, inList);
  const moved = listAt(items, place.above)[place.index]!;
  if (above !== null && moved === items[above]) throw new ToolError('An item cannot stand below itself.');
  const taken = withStep(items, place.above, { ...inList, op: 'remove' });
  // Taking one out at the top level moves those after it.
  const shift = place.above === null && above !== null && place.index < above ? 1 : 0;
  const fields = { ...moved } as unknown as JsonObject;
  return withStep(taken, above === null ? null : above - shift, { op: 'add', fields, position: step.position });
}

function listAt(items: readonly NavigationItem[], above: number | null): readonly NavigationItem[] {
  return above === null ? items : (items[above]?.children ?? []);
}

function withStep(items: readonly NavigationItem[], above: number | null, step: ItemStep): readonly NavigationItem[] {
  const list = stepThrough(listAt(items, above) as unknown as JsonObject[], step).items as unknown as NavigationItem[];
  if (above === null) return list;
  const { children: _children, ...item } = items[above]!;
  return items.with(above, list.length === 0 ? item : { ...item, children: list });
}

/** By number (`2`, `2.1`), label or address. */
function placeOf(items: readonly NavigationItem[], wanted: string): Place {
  const places = items.flatMap(({ children = [] }, index): [string, Place][] => [
    [String(index + 1), { above: null, index }],
    ...children.map((_, at): [string, Place] => [`${index + 1}.${at + 1}`, { above: index, index: at }]),
  ]);
  const key = wanted.trim().toLowerCase();
  const named = places.filter(([, place]) => {
    const { label, href } = listAt(items, place.above)[place.index]!;
    return label.toLowerCase() === key || href.toLowerCase() === key;
  });
  const numbered = places.filter(([number]) => number === key);
  const [found, ...others] = named.length === 1 ? named : numbered.length === 1 ? numbered : named;
  if (found !== undefined && others.length === 0) return found[1];
  const problem =
    key === ''
      ? 'Say which item.'
      : found === undefined
        ? `The menu has no item "${wanted}".`
        : `"${wanted}" fits several.`;
  const list = places.map(([number, place]) => `${number} "${listAt(items, place.above)[place.index]!.label}"`);
  throw new ToolError(`${problem} Its items: ${list.length === 0 ? 'none yet' : list.join(', ')}. Give the number.`);
}
