import type { JsonValue } from '#server/core/json';
import { entriesOf, type ListedEntry, matchEntries, type World } from '#server/models/offline/world';
import { type Call, callOne, listOf, objectOf, type Outcome, textOf, type Work } from '#server/models/offline/steps';
import { IT, normalized } from '#server/models/offline/grammar';
import { replyOf } from '#server/models/offline/replies';
import type { Fields, Listable, RequestOf } from '#server/models/offline/requests';

const LIST_CALLS: Readonly<Record<Listable, Call>> = {
  pages: { toolName: 'list_content', input: { type: 'page' } },
  posts: { toolName: 'list_content', input: { type: 'post' } },
  navigation: { toolName: 'get_navigation', input: {} },
  settings: { toolName: 'get_settings', input: {} },
};

/** Lists what was named, all at once. */
export function* list({ what }: RequestOf<'list'>): Work<string> {
  const calls = what.map((name) => LIST_CALLS[name]);
  const outcomes = yield calls;
  return calls.map((call, index) => replyOf({ call, outcome: outcomes[index] ?? { kind: 'lost' } })).join('\n');
}

/** Lists what is planned to be published. */
export function* planned(): Work<string> {
  const calls = (['page', 'post'] as const).map((type) => ({
    toolName: 'list_content',
    input: { type, planned: true },
  }));
  const outcomes = yield calls;
  return calls.map((call, index) => replyOf({ call, outcome: outcomes[index] ?? { kind: 'lost' } })).join('\n');
}

/** Searches pages, posts or both. */
export function* find({ query, type }: RequestOf<'find'>): Work<string> {
  return yield* simply('search_content', { query, ...(type === undefined ? {} : { type }) });
}

/** One call without arguments to work out. */
export function* simply(toolName: string, input: Fields): Work<string> {
  return replyOf({ call: { toolName, input }, outcome: yield* callOne(toolName, input) });
}

/** Takes back one change, or the newest few. */
export function* undo({ changeId, times }: RequestOf<'undo'>): Work<string> {
  const replies: string[] = [];
  for (let done = 0; done < times; done += 1)
    replies.push(yield* simply('undo', changeId === undefined ? {} : { changeId }));
  return replies.join('\n');
}

/** Adds a page or post at the end of the menu; looks at the lists and the menu at once. */
export function* addToNavigation({ name, label }: RequestOf<'add-to-navigation'>, world: World): Work<string> {
  if (world.nextWriteIsLost()) return yield* simply('set_navigation', {});
  const { entries, menu } = yield* lookAround();
  if (menu.kind !== 'done') return replyOf({ call: LIST_CALLS.navigation, outcome: menu });
  const ref = world.refOf(name);
  if (ref === null) return 'I cannot tell which page you mean. Please name it.';
  const entry = findListed(entries, ref);
  if (entry === null) return `There is no single page or post called "${ref}", so I left the navigation as it is.`;
  world.mention(entry.id);
  const items = listOf(objectOf(menu.value).items);
  const href = hrefOf(entry);
  if (items.some((item) => objectOf(item).href === href)) return `"${entry.title}" is already in the navigation.`;
  return yield* simply('set_navigation', { items: [...items, { label: label ?? entry.title, href }] });
}

/** Takes an item out of the menu, by its label or by the page it leads to. */
export function* removeFromNavigation({ name }: RequestOf<'remove-from-navigation'>, world: World): Work<string> {
  if (world.nextWriteIsLost()) return yield* simply('set_navigation', {});
  const { entries, menu } = yield* lookAround();
  if (menu.kind !== 'done') return replyOf({ call: LIST_CALLS.navigation, outcome: menu });
  const ref = name === IT ? (world.refOf(name) ?? '') : name;
  const entry = findListed(entries, ref);
  const hrefs = entry === null ? [] : [hrefOf(entry), `/${entry.slug}`];
  const leaves = (item: JsonValue) => {
    const { label, href } = objectOf(item);
    return normalized(textOf(label)) === normalized(ref) || hrefs.includes(textOf(href));
  };
  const items = listOf(objectOf(menu.value).items);
  const kept = items.filter((item) => !leaves(item));
  if (kept.length === items.length) return `"${ref}" is not in the navigation.`;
  return yield* simply('set_navigation', { items: kept });
}

function* lookAround(): Work<{ entries: ListedEntry[]; menu: Outcome }> {
  const [pages, posts, menu] = yield [
    { toolName: 'list_content', input: { type: 'page', limit: 100 } },
    { toolName: 'list_content', input: { type: 'post', limit: 100 } },
    LIST_CALLS.navigation,
  ];
  const lost: Outcome = { kind: 'lost' };
  return { entries: [...entriesOf('page', pages ?? lost), ...entriesOf('post', posts ?? lost)], menu: menu ?? lost };
}

function findListed(entries: readonly ListedEntry[], ref: string): ListedEntry | null {
  const known = entries.find(({ id, slug }) => id === ref || slug === ref);
  const match = matchEntries(entries, ref);
  return known ?? (match.kind === 'one' ? match.entry : null);
}

/** Where the site shows an entry. */
function hrefOf({ type, slug }: ListedEntry): string {
  if (type === 'post') return `/blog/${slug}`;
  return slug === 'home' ? '/' : `/${slug}`;
}
