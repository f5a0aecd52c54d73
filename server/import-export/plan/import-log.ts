import type { ImportCounts, ImportedKind, ImportRemark, ImportReport } from '#server/core/site/imports';
import { importedKinds } from '#server/core/site/imports';
import { shorten } from '#server/core/text/short-text';
import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';
import { messageOfText, uncodedText } from '#server/core/message-data';

/** Maximum number of names in a remark about several items. A choice, not measured, like the next two. */
const MAX_NAMES = 3;
/** Maximum characters of one name, and of the reason of a remark. */
const MAX_NAME_CHARS = 80;
const MAX_REASON_CHARS = 300;
/**
 * Maximum number of remarks that are reported separately; further ones are combined, because a file can cause any
 * number. A choice, not measured.
 */
const MAX_REMARKS = 300;
/** Combines the remarks beyond `MAX_REMARKS`. */
const overflow = { kind: 'other', reason: serverText('import-more-remarks') };

/** A complete sentence, shown to the user; a plain text is one without a code, for example a refusal. */
export type Reason = string | ServerText;

/** Remarks with the same kind and reason. */
interface Group {
  readonly kind: string;
  readonly reason: ServerText;
  readonly names: string[];
  count: number;
}

/** Records the outcome of each item in an import file, so that none is left out silently. */
export class ImportLog {
  readonly #counts = Object.fromEntries(
    importedKinds.map((kind) => [kind, { created: 0, updated: 0, unchanged: 0, notTaken: 0 }]),
  ) as Record<ImportedKind, { -readonly [Outcome in keyof ImportCounts]: number }>;
  readonly #sections: Record<string, number> = {};
  readonly #notTaken = new Map<string, Group>();
  readonly #altered = new Map<string, Group>();
  readonly #visible = Object.fromEntries(importedKinds.map((kind) => [kind, 0])) as Record<ImportedKind, number>;
  #outcomeCount = 0;

  /** Number of items of the file that have an outcome: imported, unchanged or skipped. Shown as progress. */
  get outcomeCount(): number {
    return this.#outcomeCount;
  }

  /** Counts items that were imported, or that needed no import because they are unchanged. */
  countImported(kind: ImportedKind, outcome: Exclude<keyof ImportCounts, 'notTaken'>, count = 1): void {
    this.#counts[kind][outcome] += count;
    this.#outcomeCount += count;
  }

  /**
   * Records items that were not imported.
   * @param kind an `ImportedKind`, or the name that the source has for this kind of item
   * @param reason a complete sentence, shown to the user
   */
  addSkipped(kind: string, name: string, reason: Reason, count = 1): void {
    this.addSkippedPart(kind, name, reason, count);
    this.#outcomeCount += count;
  }

  /** As `addSkipped`, for a part of an item, which has no outcome of its own: a comment, a tag above the limit. */
  addSkippedPart(kind: string, name: string, reason: Reason, count = 1): void {
    if (isImportedKind(kind)) this.#counts[kind].notTaken += count;
    addRemark(this.#notTaken, { kind, name, reason, count });
  }

  /** Records that an imported item differs from the source; `reason` is a complete sentence, shown to the user. */
  addAltered(kind: string, name: string, reason: Reason, count = 1): void {
    addRemark(this.#altered, { kind, name, reason, count });
  }

  /** Counts items that visitors see immediately after the import. */
  countVisible(kind: ImportedKind, count = 1): void {
    this.#visible[kind] += count;
  }

  /** Counts imported sections by their type. */
  countSections(types: readonly string[]): void {
    for (const type of types) this.#sections[type] = (this.#sections[type] ?? 0) + 1;
  }

  /** A copy of the present state, as it is stored and shown. */
  report(): ImportReport {
    return structuredClone({
      counts: this.#counts,
      sections: this.#sections,
      appears: this.#visible,
      notTaken: remarksOf(this.#notTaken),
      altered: remarksOf(this.#altered),
    });
  }
}

function isImportedKind(kind: string): kind is ImportedKind {
  return importedKinds.some((known) => known === kind);
}

interface NewRemark {
  readonly kind: string;
  readonly name: string;
  readonly reason: Reason;
  readonly count: number;
}

function addRemark(groups: Map<string, Group>, { name, count, ...remark }: NewRemark): void {
  const short = {
    kind: shorten(remark.kind.toWellFormed().trim(), MAX_NAME_CHARS),
    reason: shortReason(remark.reason),
  };
  const isListed = groups.has(keyOf(short)) || groups.size < MAX_REMARKS;
  const { kind, reason } = isListed ? short : overflow;
  const group = groups.get(keyOf({ kind, reason })) ?? { kind, reason, names: [], count: 0 };
  group.count += count;
  const shortName = shorten(name.toWellFormed().trim(), MAX_NAME_CHARS);
  if (group.names.length < MAX_NAMES && shortName !== '' && !group.names.includes(shortName))
    group.names.push(shortName);
  groups.set(keyOf({ kind, reason }), group);
}

function shortReason(reason: Reason): ServerText {
  const given = typeof reason === 'string' ? uncodedText(reason) : reason;
  const text = shorten(given.text.toWellFormed().trim(), MAX_REASON_CHARS);
  return text === given.text ? given : uncodedText(text);
}

function keyOf({ kind, reason }: Pick<Group, 'kind' | 'reason'>): string {
  return `${kind}\n${reason.text}`;
}

function remarksOf(groups: ReadonlyMap<string, Group>): ImportRemark[] {
  return [...groups.values()].map(({ kind, reason, names, count }) => {
    const message = messageOfText(reason);
    return { kind, name: names.join(', '), reason: reason.text, ...(message && { message }), count };
  });
}
