import { checkInput } from '#server/content/check-input';
import type { EntryDocument, NavigationItem } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { jsonProblem } from '#server/core/json-problem';
import {
  type ExportedAsset,
  type ExportedEntry,
  type SiteDocument,
  siteDocumentSchema,
} from '#server/export/site-document';
import { ImportLog } from '#server/import/import-log';
import { inOrder } from '#server/import/in-order';
import type { ImportPlan, PlannedDocument, PlannedEntry, PlannedMenuItem, PlannedPicture } from '#server/import/plan';

/**
 * What our own export of a site says is to be.
 * @param now epoch milliseconds: what is planned for a later time stays planned
 * @throws InvalidInputError naming what is wrong
 */
export function planJson(text: string, now: number): ImportPlan {
  const site = checkInput(siteDocumentSchema, parsed(text), 'The file', 'It must be an export of a whole site.');
  const log = new ImportLog();
  for (const { type, title } of site.trashed ?? []) log.left(type, title, 'It was in the trash.');
  const isSaid =
    site.standingInstructions.voice !== '' || Object.values(site.standingInstructions).some((list) => list.length > 0);
  return {
    format: 'json',
    // Ids are random: those of two sites are not the same.
    source: 'json',
    base: null,
    entries: inOrder(plannedEntries(site, now, log), log),
    pictures: site.media.map(plannedPicture),
    menu: site.navigation.length === 0 ? null : { name: 'menu', items: site.navigation.map(menuItem) },
    settings: site.settings,
    standing: isSaid ? site.standingInstructions : null,
    log,
  };
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InvalidInputError(`The file is not valid JSON: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    });
  }
  const problem = jsonProblem(value);
  if (problem !== null) throw new InvalidInputError(`The file ${problem}.`);
  return value;
}

function plannedEntries({ entries, redirects }: SiteDocument, now: number, log: ImportLog): PlannedEntry[] {
  const ids = new Set(entries.map(({ id }) => id));
  const published = new Set(entries.filter((entry) => entry.published !== null).map(({ id }) => id));
  const leading = Map.groupBy(redirects, ({ target }) => target);
  for (const { from, target } of redirects)
    if (!published.has(target)) log.leftWithin('redirect', from, 'It leads to nothing that is published.');
  return entries.map((entry) => {
    const formerPaths = (leading.get(entry.id) ?? []).map(({ from }) => from);
    return plannedEntry(entry, { formerPaths, ids, now, log });
  });
}

interface EntrySurroundings extends Pick<PlannedEntry, 'formerPaths'> {
  /** Of all entries in the file. */
  readonly ids: ReadonlySet<string>;
  readonly now: number;
  readonly log: ImportLog;
}

function plannedEntry(entry: ExportedEntry, { formerPaths, ids, now, log }: EntrySurroundings): PlannedEntry {
  const { id, type, paths, draft, published, publishedAt, publishAt, createdAt } = entry;
  const planned = (document: EntryDocument): PlannedDocument => {
    const { parent, sections, ...fields } = document;
    const isThere = parent !== undefined && ids.has(parent);
    if (parent !== undefined && !isThere)
      log.altered(type, document.title, 'The page above it is not in the file: it stands below none.');
    return {
      ...fields,
      ...(isThere && { parent }),
      content: {
        kind: 'sections',
        sections: sections.map((section) => ({ type: section.type, fields: section.fields })),
      },
    };
  };
  const plannedDraft = planned(draft);
  const isLate = publishAt !== null && publishAt <= now;
  if (isLate) log.altered(type, draft.title, 'The time it was planned for has passed: it is planned for none here.');
  const isDraft = (document: EntryDocument | null) => JSON.stringify(document) === JSON.stringify(draft);
  const scheduled = publishAt === null || isLate || isDraft(entry.planned) ? null : entry.planned;
  return {
    key: id,
    type,
    draft: plannedDraft,
    published: published === null ? null : isDraft(published) ? plannedDraft : planned(published),
    publishedAt: published === null || publishedAt === null ? null : Math.min(publishedAt, now),
    publishAt: isLate ? null : publishAt,
    scheduled: scheduled === null ? null : planned(scheduled),
    addresses: paths,
    formerPaths,
    here: { id, createdAt },
  };
}

function plannedPicture({ id, url, version, filename, alt, tags, data }: ExportedAsset): PlannedPicture {
  return { key: id, address: null, addresses: [url], bytes: data, filename, alt, tags, here: { id, version } };
}

function menuItem({ label, href, children = [] }: NavigationItem): PlannedMenuItem {
  return { label, target: { href }, children: children.map(menuItem) };
}
