import { z } from 'zod';
import { type FieldChange, type NavigationItem, navigationItemSchema } from '#server/core/content';
import { effect, siteTarget } from '#server/tools/effects';
import { navigationJson } from '#server/tools/navigation-json';
import { notesResult } from '#server/tools/results';
import { defineTool } from '#server/tools/tool';

/** What the model sees of an item is spelled out: the schema that checks it is recursive, which many providers refuse. */
const itemInput = z
  .unknown()
  .pipe(navigationItemSchema)
  .meta({
    type: 'object',
    properties: {
      label: { type: 'string' },
      href: { type: 'string', description: '/slug or URL' },
      children: { type: 'array', items: { type: 'object' }, description: 'items too' },
    },
    required: ['label', 'href'],
  });

/** Replaces the site's menu. */
export const setNavigation = defineTool({
  name: 'set_navigation',
  description: 'Replace the whole menu.',
  input: z.object({
    items: z.array(itemInput).max(30),
  }),
  writes: true,
  policy: 'ask',
  async effect({ items }, { content }) {
    return effect({
      summary: 'Replaces the menu of the site, for all visitors and at once.',
      targets: [await siteTarget(content, 'navigation', 'Menu')],
      changes: menuChanges(await content.navigation(), items),
    });
  },
  async execute({ items }, { content, origin, ifRevision }) {
    const change = await content.setNavigation(items, origin, { ifRevision });
    return { changeId: change.id, summary: change.summary, items: navigationJson(items), ...notesResult(change) };
  },
});

/** What comes into the menu and what leaves it; where it is all there in another order, that. */
function menuChanges(from: readonly NavigationItem[], to: readonly NavigationItem[]): FieldChange[] {
  const [before, after] = [menuLines(from), menuLines(to)];
  const removed = before.filter((line) => !after.includes(line));
  const added = after.filter((line) => !before.includes(line));
  const field = 'menu';
  const changes: FieldChange[] = [
    ...removed.map((line) => ({ field, kind: 'removed' as const, before: line, after: null })),
    ...added.map((line) => ({ field, kind: 'added' as const, before: null, after: line })),
  ];
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
