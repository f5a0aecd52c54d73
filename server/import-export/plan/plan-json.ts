import { checkInput } from '#server/site/check-input';
import type { EntryDocument, NavigationItem, SiteSettings } from '#server/core/site/content';
import { InvalidInputError, messageOf } from '#server/core/errors';
import { jsonProblem } from '#server/core/json';
import { refusedJson } from '#server/core/messages/coded-errors';
import { serverText } from '#server/core/messages/server-text';
import {
  type ExportedAsset,
  type ExportedEntry,
  type ExportedSite,
  siteDocumentSchema,
} from '#server/import-export/plan/export-format';
import { ImportLog } from '#server/import-export/plan/import-log';
import type {
  ImportPlan,
  SourceDocument,
  SourceEntry,
  SourceMenuItem,
  SourcePicture,
} from '#server/import-export/plan/import-plan';
import { sortByParent } from '#server/import-export/plan/sort-entries';
import { pictureFolder } from '#server/import-export/plan/picture-folder';

/**
 * Converts a JSON export (`export-format`) to a plan.
 * @param now epoch milliseconds: entries scheduled for a later time stay scheduled
 * @throws InvalidInputError that names the problem
 */
export function planJson(text: string, now: number): ImportPlan {
  const site = checkInput(siteDocumentSchema, parsed(text), 'The file', 'It must be an export of a whole site.');
  const log = new ImportLog();
  for (const { type, title } of site.trashed ?? []) log.addSkipped(type, title, serverText('import-in-trash'));
  const hasInstructions =
    site.standingInstructions.voice !== '' || Object.values(site.standingInstructions).some((list) => list.length > 0);
  return {
    format: 'json',
    // Ids are random: two sites never share one.
    source: 'json',
    base: null,
    entries: sortByParent(plannedEntries(site, now, log), log),
    pictures: site.media.map(plannedPicture),
    places: [],
    menu: site.navigation.length === 0 ? null : { name: 'menu', items: site.navigation.map(menuItem) },
    settings: site.settings as Partial<SiteSettings>,
    standing: hasInstructions ? site.standingInstructions : null,
    design: site.design ? { draft: site.design, published: site.publishedDesign } : null,
    log,
  };
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InvalidInputError(serverText('import-not-json', { reason: messageOf(cause) }), { cause });
  }
  const problem = jsonProblem(value);
  if (problem !== null) throw refusedJson('file', problem);
  return value;
}

function plannedEntries({ entries, redirects }: ExportedSite, now: number, log: ImportLog): SourceEntry[] {
  const ids = new Set(entries.map(({ id }) => id));
  const published = new Set(entries.filter((entry) => entry.published !== null).map(({ id }) => id));
  const leading = Map.groupBy(redirects, ({ target }) => target);
  for (const { from, target } of redirects)
    if (!published.has(target)) log.addSkippedPart('redirect', from, serverText('import-redirect-target'));
  return entries.map((entry) => {
    const formerPaths = (leading.get(entry.id) ?? []).map(({ from }) => from);
    return plannedEntry(entry, { formerPaths, ids, now, log });
  });
}

interface EntryContext {
  readonly formerPaths: SourceEntry['formerPaths'];
  /** Ids of all entries in the file. */
  readonly ids: ReadonlySet<string>;
  readonly now: number;
  readonly log: ImportLog;
}

function plannedEntry(entry: ExportedEntry, { formerPaths, ids, now, log }: EntryContext): SourceEntry {
  const { id, type, paths, draft, published, publishedAt, publishAt, createdAt } = entry;
  const planned = (document: EntryDocument): SourceDocument => {
    const { parent, sections, kind: _kind, terms: _terms, custom: _custom, ...fields } = document;
    const isThere = parent !== undefined && ids.has(parent);
    if (parent !== undefined && !isThere) log.addAltered(type, document.title, serverText('import-parent-missing'));
    return {
      ...fields,
      ...(isThere && { parent }),
      content: {
        kind: 'sections',
        sections: sections.map((section) => ({ type: section.type, fields: section.fields })),
      },
    };
  };
  reportFields(draft, log);
  const plannedDraft = planned(draft);
  const isLate = publishAt !== null && publishAt <= now;
  if (isLate) log.addAltered(type, draft.title, serverText('import-late'));
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
    ...(entry.comments && { comments: entry.comments }),
  };
}

/** Reports fields that only entries of a connected site have. */
function reportFields({ terms = {}, custom = {} }: EntryDocument, log: ImportLog): void {
  for (const [group, names] of Object.entries(terms))
    for (const name of names)
      log.addSkippedPart(group, name, serverText('import-no-terms', { group: group.replaceAll('_', ' ') }));
  for (const name of Object.keys(custom)) log.addSkippedPart('custom field', name, serverText('import-no-own-fields'));
}

function plannedPicture({ id, url, version, filename, alt, tags, data }: ExportedAsset): SourcePicture {
  return {
    key: id,
    address: null,
    addresses: [url, pictureFolder(id)],
    bytes: data,
    filename,
    alt,
    tags,
    here: { id, version },
  };
}

function menuItem({ label, href, children = [] }: NavigationItem): SourceMenuItem {
  return { label, target: { href }, children: children.map(menuItem) };
}
