import type { EntryFilter } from '#components/api/paths.ts';
import { LIBRARY_PAGES_PATH, replacePath } from '#components/workspace/navigation.ts';

/** States by which the list is filtered. */
export const states = ['draft', 'published', 'changed', 'scheduled'] as const;
export type State = (typeof states)[number];

/** Orders of the list; `relevance` is the default of a search, `edited` of all else. */
export const orders = ['relevance', 'edited', 'edited-first', 'title', 'title-last', 'created'] as const;
export type Order = (typeof orders)[number];

const sorts: Readonly<Record<Order, Pick<EntryFilter, 'sort' | 'order'>>> = {
  relevance: {},
  edited: { sort: 'updated', order: 'desc' },
  'edited-first': { sort: 'updated', order: 'asc' },
  title: { sort: 'title', order: 'asc' },
  'title-last': { sort: 'title', order: 'desc' },
  created: { sort: 'created', order: 'desc' },
};

/** Search, filters and order of the list, as the address has them. Empty texts and null: no filter. */
export interface PagesView {
  readonly text: string;
  readonly state: State | null;
  readonly tag: string;
  readonly author: string;
  /** First and last day of the newest edit, in the time zone of the reader: `2026-11-24`. */
  readonly from: string;
  readonly to: string;
  /** Null: none was chosen, so that the order is the default of the view (`orderOf`). */
  readonly order: Order | null;
  /** True to show the pages as a tree; what a filter finds is shown as a list all the same. */
  readonly isTree: boolean;
  /** Ids of the pages of the tree whose children are shown. */
  readonly open: readonly string[];
}

/** Open pages that the address keeps, the newest, so that no server refuses its length. */
const MAX_OPEN = 100;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const dayOf = (text: string | null) => (text !== null && DAY.test(text) ? text : '');

/** The order of a view: the chosen one, or the default. */
export function orderOf({ text, order, isTree }: PagesView): Order {
  if (order !== null) return order;
  if (text.trim() !== '') return 'relevance';
  return isTree ? 'title' : 'edited';
}

/** The view in the query of an address; what is not valid in it counts as absent. */
export function viewOf(query: URLSearchParams): PagesView {
  const order = orders.find((each) => each === query.get('sort'));
  const isTree = query.get('view') === 'tree';
  return {
    text: query.get('q') ?? '',
    state: states.find((each) => each === query.get('state')) ?? null,
    tag: query.get('tag') ?? '',
    author: query.get('author') ?? '',
    from: dayOf(query.get('from')),
    to: dayOf(query.get('to')),
    order: order === undefined || order === 'relevance' ? null : order,
    isTree,
    open: isTree ? (query.get('open') ?? '').split(',').filter((id) => id !== '') : [],
  };
}

/** Address of the list with this view. */
export function pathOfView({ text, state, order, isTree, open, ...texts }: PagesView): string {
  const query = new URLSearchParams({
    ...(text !== '' && { q: text }),
    ...(state !== null && { state }),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== '')),
    // Relevance is the default of a search, and exists in no other view.
    ...(order !== null && order !== 'relevance' && { sort: order }),
    ...(isTree && { view: 'tree' }),
    ...(isTree && open.length > 0 && { open: open.slice(-MAX_OPEN).join(',') }),
  }).toString();
  return query === '' ? LIBRARY_PAGES_PATH : `${LIBRARY_PAGES_PATH}?${query}`;
}

/** Changes the view. Reads the present one from the address, because the screen may not have rendered it yet. */
export function changeView(change: Partial<PagesView>): void {
  replacePath(pathOfView({ ...viewOf(new URLSearchParams(window.location.search)), ...change }));
}

/** Shows or hides the pages below a page of the tree. */
export function togglePage(id: string, isOpen: boolean): void {
  const { open } = viewOf(new URLSearchParams(window.location.search));
  changeView({ open: [...open.filter((each) => each !== id), ...(isOpen ? [id] : [])] });
}

/** Midnight at the start of a day in the time zone of the reader, with an offset in days; epoch milliseconds. */
function midnight(day: string, offset = 0): number | undefined {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const time = new Date(year, month - 1, date + offset).getTime();
  // A year that is still being typed is long ago.
  return Number.isNaN(time) ? undefined : Math.max(0, time);
}

/** The filter and order of a view for the API. */
export function filterOf(view: PagesView): EntryFilter {
  const { text, state, tag, author, from, to } = view;
  return {
    search: text || undefined,
    ...(state === 'scheduled' ? { scheduled: '1' } : state !== null && { status: state }),
    tag: tag || undefined,
    author: author || undefined,
    updatedFrom: from === '' ? undefined : midnight(from),
    updatedBefore: to === '' ? undefined : midnight(to, 1),
    ...sorts[orderOf(view)],
  };
}

/** True if the view leaves anything out. */
export function isFiltered({ order: _order, isTree: _isTree, open: _open, ...filters }: PagesView): boolean {
  return Object.values(filters).some((value) => value !== null && value !== '');
}
