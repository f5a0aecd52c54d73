import { createAssetLibrary, type LibraryOptions } from '#server/site/embedded/assets';
import type { ContentStore } from '#server/site/embedded/content-store';
import { createPublishedPictures } from '#server/site/embedded/published-pictures';
import { SiteWriter, type SiteWriterOptions } from '#server/site/embedded/site-writer';
import { EmbeddedConfiguration } from '#server/site/embedded-site/configuration';
import { type DocumentsOptions, EMBEDDED_BACKEND, EmbeddedDocuments } from '#server/site/embedded-site/documents';
import { EmbeddedJournal } from '#server/site/embedded-site/journal';
import { EmbeddedPublishing, type PublishingOptions } from '#server/site/embedded-site/publishing';
import { Site, type SiteParts } from '#server/site/site';

function roughTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

/** Options of the built-in site, or of the local copy of a connected one. `isConnected` is false by default. */
export interface EmbeddedSiteOptions
  extends LibraryOptions, SiteWriterOptions, Partial<DocumentsOptions>, Partial<PublishingOptions> {}

/**
 * A site in the local database: the built-in site, or the copy of a connected one. Every write is one transaction: it reads
 * the current state, computes the new one without side effects, and stores it together with its journal entry, so that
 * concurrent writes run one after another.
 */
export class EmbeddedSite extends Site {
  constructor(store: ContentStore, options: EmbeddedSiteOptions = {}) {
    const parts = partsOver(store, options);
    super(() => parts);
  }
}

function partsOver(store: ContentStore, options: EmbeddedSiteOptions): SiteParts {
  const { countTokens = roughTokens, isConnected = false, isPublished = createPublishedPictures(store) } = options;
  const shared = { ...options, isConnected, isPublished };
  const writer = new SiteWriter(store, options);
  let drafts: EmbeddedSite | undefined;
  return {
    capabilities: () => ({
      backend: EMBEDDED_BACKEND,
      drafts: true,
      trash: true,
      versions: true,
      undo: true,
      hierarchy: true,
      tags: true,
      seo: true,
      redirects: true,
      navigation: true,
      settings: true,
      design: true,
      assets: options.preparePicture !== undefined,
      scheduling: true,
      preconditions: true,
    }),
    draftsOnly: () => (drafts ??= new EmbeddedSite(store, { ...shared, onlyDrafts: true })),
    documents: new EmbeddedDocuments(store, writer, shared),
    publishing: new EmbeddedPublishing(writer, shared),
    configuration: new EmbeddedConfiguration(store, writer, countTokens),
    journal: new EmbeddedJournal(store, writer),
    assets: createAssetLibrary(store, shared, writer),
  };
}
