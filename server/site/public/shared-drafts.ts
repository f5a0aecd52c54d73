import { randomUUID } from 'node:crypto';
import { BoundedMap, createBoundedCache } from '#server/core/bounded-map';
import { NotFoundError } from '#server/core/errors';
import { variantOf } from '#server/core/site/pictures';
import { PREVIEW_LINK_ROOT } from '#server/core/site/preview/preview-links';
import { mediaFileParams, mediaFileQuery, pictureVariantParams } from '#server/http/schemas/media';
import type { ContentBackend } from '#server/site/content-backend';
import type { PictureVariants } from '#server/site/media/picture-variants';
import { type PictureAddress, showPicture, showVariant } from '#server/site/public/pictures';
import type { PreviewLinks } from '#server/site/public/preview-links';
import { type EntryDraft, readDraft, type SiteAroundPage } from '#server/site/public/read-site';
import { type RefusedComment, withRefusedComment } from '#server/site/public/refused-comment';
import { type ShareableDocument, shareableDocument } from '#server/site/public/shareable-document';
import { type SiteTheme, themeFiles } from '#server/site/public/site-theme';

/** What the drafts of preview links are shown with. */
interface SharedDraftsDeps {
  /** Content of the built-in site. */
  readonly content: ContentBackend;
  readonly links: PreviewLinks;
  readonly pictures: PictureVariants;
  readonly theme: () => Promise<SiteTheme>;
  /** Address of the published site without a trailing slash: `/site`, `https://example.org`. */
  readonly siteRoot: string;
}

/** Number of rendered drafts that are kept, because each of their pictures is checked against the page. */
const MAX_KEPT = 50;
const HTML = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
/** Names of the theme's files change with their content. A year is the longest that caches honour. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The state in which a draft was rendered, and the result. */
interface KeptDraft {
  readonly state: string;
  readonly rendered: Promise<ShareableDocument>;
}

/**
 * What the address of a preview link shows: the current draft of its entry, and the pictures of this draft. A secret that
 * is unknown, expired or revoked, and every other address, get the same page with the status 404.
 */
export class SharedDrafts {
  readonly #deps: SharedDraftsDeps;
  readonly #kept = new BoundedMap<KeptDraft>(MAX_KEPT);
  /** The page for links that do not work, by the settings that it shows. */
  readonly #endedPage = createBoundedCache<Promise<ShareableDocument>>(1);
  /** Stands for the address of the link in a kept page. Random, so that no text of a draft contains it. */
  readonly #placeholder = `${PREVIEW_LINK_ROOT}/${randomUUID()}`;

  constructor(deps: SharedDraftsDeps) {
    this.#deps = deps;
  }

  /** The page of a link. @param refused a comment to show again in its form, with the reason */
  async page(secret: string, refused?: RefusedComment): Promise<Response> {
    const draft = await this.#draftOf(secret);
    if (draft === null) return this.#ended();
    const html = draft.html.replaceAll(this.#placeholder, `${PREVIEW_LINK_ROOT}/${secret}`);
    return new Response(refused === undefined ? html : withRefusedComment(html, refused), { headers: HTML });
  }

  /**
   * A picture that the page of a link shows, in a size that the page offers.
   * @param address path and query as the page of the site has them: `/media/ast_bcdfgh/a.png`
   */
  async file(secret: string, address: string): Promise<Response> {
    const draft = await this.#draftOf(secret);
    const shown = draft?.files.has(address) === true ? await this.#picture(address) : null;
    if (shown?.status !== 200) return this.#ended();
    const headers = { 'content-type': shown.headers.get('content-type') ?? '', 'cache-control': 'no-store' };
    return new Response(await shown.arrayBuffer(), { headers });
  }

  /** A style sheet or a font of the theme, which is the same for all sites. @param name `site-1a2b3c.css` */
  async themeFile(name: string): Promise<Response> {
    const { assets } = await this.#deps.theme();
    const asset = assets.find(({ path }) => path === `/assets/${name}`);
    if (!asset) return this.#ended();
    const { mediaType, data } = asset;
    // Relative to the style sheet, which is at another address than on the published site.
    const body = mediaType.startsWith('text/css')
      ? Buffer.from(data)
          .toString('utf8')
          .replaceAll(/url\((["']?)\/assets\//g, 'url($1')
      : data.slice();
    return new Response(body, { headers: { 'content-type': mediaType, 'cache-control': IMMUTABLE } });
  }

  async #draftOf(secret: string): Promise<ShareableDocument | null> {
    const { content, links } = this.#deps;
    const entryId = await links.entryOf(secret);
    if (entryId === null) return null;
    const [newest] = await content.changes({ limit: 1 });
    // Typing that goes on extends a change, which raises its revision.
    const state = newest === undefined ? '' : `${newest.id} ${newest.revision}`;
    const kept = this.#kept.get(entryId);
    if (kept?.state === state) return this.#unlessGone(kept.rendered);
    const rendered = this.#render(entryId);
    void this.#kept.set(entryId, { state, rendered });
    rendered.catch(() => {
      if (this.#kept.get(entryId)?.rendered === rendered) this.#kept.delete(entryId);
    });
    return this.#unlessGone(rendered);
  }

  /** Null if the entry does not exist any more. */
  async #unlessGone(rendered: Promise<ShareableDocument>): Promise<ShareableDocument | null> {
    try {
      return await rendered;
    } catch (error) {
      if (error instanceof NotFoundError) return null;
      throw error;
    }
  }

  /** @throws NotFoundError for an entry that is not there, or in the trash */
  async #render(entryId: string): Promise<ShareableDocument> {
    const { content } = this.#deps;
    const { path, ...site } = await readDraft(content, entryId);
    return this.#write({ ...site, path, preview: 'draft' });
  }

  /** The page for links that do not work. */
  async #ended(): Promise<Response> {
    const [settings, { published: design }] = await Promise.all([
      this.#deps.content.settings(),
      this.#deps.content.design(),
    ]);
    // The header has no logo: a link that does not work shows no picture.
    const plain = design && { ...design, logo: { light: '', dark: '' } };
    const nothing = { navigation: [], design: plain, posts: [], pictures: {}, page: null, path: '' };
    const ended = this.#endedPage(JSON.stringify([settings, plain]), () =>
      this.#write({ ...nothing, settings, preview: 'ended' }),
    );
    return new Response((await ended).html, { status: 404, headers: HTML });
  }

  async #write(
    shown: SiteAroundPage & {
      readonly page: EntryDraft['page'] | null;
      readonly path: string;
      readonly preview: 'draft' | 'ended';
    },
  ): Promise<ShareableDocument> {
    const { theme, siteRoot } = this.#deps;
    const used = await theme();
    const html = used.render({
      ...shown,
      ...themeFiles(used, shown.design),
      address: '',
      above: [],
      isGone: false,
      // Shown as on the site, but made unable to send anything.
      forms: { origin: '', opened: '' },
    });
    return shareableDocument(html, { filesRoot: this.#placeholder, themeRoot: PREVIEW_LINK_ROOT, siteRoot });
  }

  /** A picture by its address on the site; null: there is none. */
  async #picture(address: string): Promise<Response | null> {
    const { content, pictures, theme } = this.#deps;
    if (address.startsWith('/images/')) {
      const image = await (await theme()).readImage(address);
      return image && new Response(image.data.slice(), { headers: { 'content-type': image.mediaType } });
    }
    const { pathname, searchParams } = new URL(address, 'http://site.invalid');
    const [, , id, filename, name, ...more] = pathname.split('/');
    const maySeeDrafts = async () => true;
    try {
      const variant = pictureVariantParams.safeParse({ id, filename, variant: name });
      if (variant.success && more.length === 0) {
        const { data } = variant;
        const wanted = { id: data.id, version: data.filename, name: data.variant };
        const made = await showVariant({ content, pictures }, wanted, maySeeDrafts, 'wait');
        // The uploaded file would show what the crop hides.
        if (made.status === 200 || variantOf(data.variant)?.crop !== null) return made;
        const { filename: uploaded } = await content.assets.get(data.id);
        return await this.#uploaded({ id: data.id, filename: uploaded, size: 'full' });
      }
      const file = mediaFileParams.safeParse({ id, filename });
      const query = mediaFileQuery.safeParse(Object.fromEntries(searchParams));
      if (name !== undefined || !file.success || !query.success) return null;
      return await this.#uploaded({ ...file.data, ...query.data });
    } catch (error) {
      if (error instanceof NotFoundError) return null;
      throw error;
    }
  }

  #uploaded(address: PictureAddress): Promise<Response> {
    return showPicture(this.#deps.content, address, new Request('http://site.invalid'), async () => true);
  }
}
