import { noSite } from '#server/core/messages/coded-errors';
import type { Site } from '#server/services/site';
import type { ContentBackend, StandingState } from '#server/site/content-backend';
import { readScheduled } from '#server/site/reports/read-scheduled';
import type { Design } from '#server/core/site/design/design';
import { pictureColors } from '#server/site/media/picture-palette';
import { usedPictures } from '#server/site/reports/used-pictures';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { StandingReport } from '#server/core/site/standing-instructions';
import type { ScheduledPage, ScheduledQuery, UsedPicture } from '#server/core/site/site-lists';
import type { TrashPage, TrashQuery } from '#server/core/site/trash';
import { exportSite, type SiteExportOptions } from '#server/import-export/export-site';
import { CurrentSite } from '#server/site/connections/current-site';
import { readTrash } from '#server/site/reports/read-trash';
import { startSite } from '#server/site/starter/start-site';
import { replaceTexts } from '#server/site/batches/replace-texts';

/** One site, for routes and pages. */
export interface SiteServices {
  /** Id of the site; null for a principal that may work on no site. */
  readonly chosenSite: string | null;
  /** Id of the site. @throws NoSiteError for a principal that may work on no site */
  readonly requireSite: () => string;
  readonly content: ContentBackend;
  /** The site as a JSON file that can be imported again. */
  readonly siteExport: (options: SiteExportOptions) => Promise<AsyncGenerator<string>>;
  /** Deleted entries. */
  readonly trash: (query: TrashQuery) => Promise<TrashPage>;
  /** Pictures that the site shows, inside the library or outside it, and where they appear. */
  readonly usedPictures: () => Promise<UsedPicture[]>;
  /** Colours of a picture as the palette of a design. @throws NotFoundError */
  readonly pictureColors: (assetId: string) => Promise<Design['palette']>;
  /** Replaces a text in drafts of the given content. */
  readonly replaceTexts: typeof replaceTexts;
  /** Makes the first pages of an empty site in the given content. */
  readonly startSite: typeof startSite;
  /** Entries with a scheduled publication. */
  readonly planned: (query: ScheduledQuery) => Promise<ScheduledPage>;
  /** The standing instructions of the site, as stored and as models read them. */
  readonly standing: {
    readonly refresh: () => Promise<void>;
    readonly report: (written?: StandingState) => Promise<StandingReport>;
  };
}

/** The services of one site. @param chosen id of the site; null for a principal that may work on no site */
export function siteServices({ contentOf, comments, standing }: Site, chosen: string | null): SiteServices {
  const requireSite = () => {
    if (chosen === null) throw noSite();
    return chosen;
  };
  const siteId = chosen ?? EMBEDDED_SITE;
  const content = chosen === null ? new CurrentSite(() => contentOf(requireSite())) : contentOf(siteId);
  return {
    chosenSite: chosen,
    requireSite,
    content,
    siteExport: async (options) => exportSite(content, { ...options, comments: await comments(requireSite()) }),
    trash: (query) => readTrash(content, query),
    usedPictures: () => usedPictures(content),
    // The thumbnail has the same colours and is small.
    pictureColors: async (assetId) => pictureColors((await content.assets.read(assetId, 'thumb')).data),
    replaceTexts,
    startSite,
    planned: (query) => readScheduled(content, query),
    standing: {
      refresh: () => standing.refresh(siteId),
      report: async (written) => standing.report(requireSite(), written),
    },
  };
}
