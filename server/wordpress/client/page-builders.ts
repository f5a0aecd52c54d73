import { z } from 'zod';
import type { SiteConnector } from '#server/wordpress/client/site-connector';
import { allOf, chunksOf, collect } from '#server/wordpress/client/collections';

/**
 * A page builder: it stores a page in its own format, and WordPress's content is at best a copy of its text. Visitors
 * do not see what is written to that content, or the write breaks the page.
 */
interface PageBuilder {
  readonly name: string;
  /** REST namespace that shows that a site has it; null: it has no namespace. */
  readonly namespace: string | null;
  /** Matches the stored content of its pages; null: the stored content does not show it. */
  readonly stored: RegExp | null;
  /** Matches the rendered content of its pages; null: the rendered content does not show it. */
  readonly rendered: RegExp | null;
  /** Query that opens a page in the builder: of the address of WordPress's editor, or of the page itself. */
  readonly opens: { readonly editor: string } | { readonly page: string };
}

const editor = (query: string) => ({ editor: query }) as const;
const page = (query: string) => ({ page: query }) as const;

const PAGE_BUILDERS: readonly PageBuilder[] = [
  {
    name: 'Elementor',
    namespace: 'elementor/v1',
    stored: null,
    rendered: /data-elementor-type=["']wp-(?:page|post)/,
    opens: editor('action=elementor'),
  },
  {
    name: 'Beaver Builder',
    namespace: 'fl-controls/v1',
    stored: /<!-- wp:fl-builder\/layout/,
    rendered: /class=["']fl-builder-content\b/,
    opens: page('fl_builder'),
  },
  {
    name: 'Divi',
    namespace: 'divi/v1',
    stored: /\[et_pb_section\b|<!-- wp:divi\/(?:placeholder|section)/,
    rendered: null,
    opens: page('et_fb=1'),
  },
  { name: 'WPBakery', namespace: null, stored: /\[vc_row\b/, rendered: null, opens: editor('vc_action=vc_inline') },
  {
    name: 'Avada Builder',
    namespace: null,
    stored: /\[fusion_builder_container\b/,
    rendered: null,
    opens: page('fb-edit=1'),
  },
  { name: 'Bricks', namespace: 'bricks/v1', stored: null, rendered: null, opens: page('bricks=run') },
  { name: 'Breakdance', namespace: 'breakdance/v1', stored: null, rendered: null, opens: page('breakdance=builder') },
];

/** Page builders that a site has, by its REST namespaces, and whether their pages can be recognized over REST. */
export function buildersOf(namespaces: readonly string[]): { readonly name: string; readonly isDetectable: boolean }[] {
  const present = PAGE_BUILDERS.filter(({ namespace }) => namespace !== null && namespaces.includes(namespace));
  return present.map(({ name, stored, rendered }) => ({ name, isDetectable: stored !== null || rendered !== null }));
}

/** Address that opens an entry in its page builder. */
export function builderAddress(name: string, editAddress: string, link: string): string {
  const opens = PAGE_BUILDERS.find((builder) => builder.name === name)?.opens;
  if (opens === undefined) return editAddress;
  if ('page' in opens) return `${link}${link.includes('?') ? '&' : '?'}${opens.page}`;
  return `${editAddress.replace(/&action=edit$/, '')}&${opens.editor}`;
}

/** Name of the page builder of an entry; empty: no known builder. */
export function builderOf(stored: string, rendered = ''): string {
  const found = PAGE_BUILDERS.find((builder) => builder.stored?.test(stored) || builder.rendered?.test(rendered));
  return found?.name ?? '';
}

const renderedSchema = z.object({ id: z.number(), content: z.object({ rendered: z.string().default('') }).optional() });
/**
 * Entries per request when their rendered content is read, because rendering is slow on a small host. A choice, not
 * measured.
 */
const RENDERED_PER_PAGE = 20;

/**
 * Entries as WordPress renders them for visitors, by id, if only this shows their page builder; otherwise empty. If a
 * site cannot render them, they can still be read.
 */
export async function renderedForBuilders(
  site: SiteConnector,
  route: string,
  ids: readonly number[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const { namespaces } = await site.index();
  const isAsked = PAGE_BUILDERS.some(
    ({ namespace, rendered }) => rendered !== null && namespace !== null && namespaces.includes(namespace),
  );
  const found = new Map<number, string>();
  if (!isAsked) return found;
  for (const some of chunksOf(ids)) {
    const query = { context: 'edit', status: 'any', include: some.join(','), _fields: 'id,content.rendered' };
    const list = { query, item: renderedSchema, what: 'entries', perPage: RENDERED_PER_PAGE, signal };
    for (const { id, content } of await collect(allOf(site, route, list)).catch(() => []))
      found.set(id, content?.rendered ?? '');
  }
  return found;
}
