import { checkInput } from '#server/content/check-input';
import type { EntryDocument, NavigationItem, SiteSettings } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { jsonProblem } from '#server/core/json';
import {
  type ExportedAsset,
  type ExportedEntry,
  type ExportedSite,
  siteDocumentSchema,
} from '#server/export/site-document';
import { ImportLog } from '#server/import/import-log';
import {
  type ImportPlan,
  inOrder,
  type SourceDocument,
  type SourceEntry,
  type SourceMenuItem,
  type SourcePicture,
} from '#server/import/plan';
import { pictureFolder } from '#server/import/work';

/**
 * Reads an import file as a plan: an export of WordPress (XML) or of ours (JSON).
 * @param now epoch milliseconds
 * @throws InvalidInputError where it is neither, or broken
 */
export async function readImportFile(data: Uint8Array, now: number): Promise<ImportPlan> {
  const text = textOf(data);
  const [first] = text.trimStart();
  if (first === '<') {
    // The XML parser is loaded when there is something to parse.
    const { planWxr } = await import('#server/import/plan-wxr');
    return planWxr(text, now);
  }
  if (first === '{') return planJson(text, now);
  throw new InvalidInputError('This is neither a WordPress export (XML) nor one of ours (JSON).');
}

function textOf(data: Uint8Array): string {
  if (data.byteLength === 0) throw new InvalidInputError('The file is empty.');
  const [first, second] = data;
  const isPacked = (first === 0x50 && second === 0x4b) || (first === 0x1f && second === 0x8b);
  if (isPacked)
    throw new InvalidInputError('This file is packed (ZIP or GZIP). Unpack it and send the XML or JSON in it.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch (cause) {
    throw new InvalidInputError('This file is not text in UTF-8.', { cause });
  }
}

/**
 * Reads an export of ours as a plan.
 * @param now epoch milliseconds: entries that are planned for a later time stay planned
 * @throws InvalidInputError naming what is wrong
 */
function planJson(text: string, now: number): ImportPlan {
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
    settings: site.settings as Partial<SiteSettings>,
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

function plannedEntries({ entries, redirects }: ExportedSite, now: number, log: ImportLog): SourceEntry[] {
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

interface EntrySurroundings extends Pick<SourceEntry, 'formerPaths'> {
  /** Ids of all entries in the file. */
  readonly ids: ReadonlySet<string>;
  readonly now: number;
  readonly log: ImportLog;
}

function plannedEntry(entry: ExportedEntry, { formerPaths, ids, now, log }: EntrySurroundings): SourceEntry {
  const { id, type, paths, draft, published, publishedAt, publishAt, createdAt } = entry;
  const planned = (document: EntryDocument): SourceDocument => {
    const { parent, sections, kind: _kind, terms: _terms, custom: _custom, ...fields } = document;
    const isThere = parent !== undefined && ids.has(parent);
    if (parent !== undefined && !isThere)
      log.altered(type, document.title, 'Its parent page is not in the file: it has no parent here.');
    return {
      ...fields,
      ...(isThere && { parent }),
      content: {
        kind: 'sections',
        sections: sections.map((section) => ({ type: section.type, fields: section.fields })),
      },
    };
  };
  tellFields(draft, log);
  const plannedDraft = planned(draft);
  const isLate = publishAt !== null && publishAt <= now;
  if (isLate) log.altered(type, draft.title, 'Its planned time has passed: it is not planned here.');
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

/** Reports what only entries of a connected site have. */
function tellFields({ terms = {}, custom = {} }: EntryDocument, log: ImportLog): void {
  for (const [group, names] of Object.entries(terms))
    for (const name of names) log.leftWithin(group, name, `Entries have no ${group.replaceAll('_', ' ')} here.`);
  for (const name of Object.keys(custom))
    log.leftWithin('custom field', name, 'Entries have no fields of their own here.');
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
