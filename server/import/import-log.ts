import type { ImportCounts, ImportedKind, ImportRemark, ImportReport } from '#server/core/imports';
import { importedKinds } from '#server/core/imports';
import { shorten } from '#server/core/short-text';

/** Names of a remark that is true of several. */
const MOST_NAMES = 3;
const MAX_NAME_CHARS = 80;
const MAX_REASON_CHARS = 300;
/** Most kinds of things that are reported one by one; more become one remark, since a file could make up any number. */
const MOST_REMARKS = 300;
const OTHER = { kind: 'other', reason: 'More remarks than can be listed.' };

interface Group {
  readonly kind: string;
  readonly reason: string;
  readonly names: string[];
  count: number;
}

/** Writes down what becomes of each thing of a file, so that none is left out in silence. */
export class ImportLog {
  readonly #counts = Object.fromEntries(
    importedKinds.map((kind) => [kind, { created: 0, updated: 0, unchanged: 0, notTaken: 0 }]),
  ) as Record<ImportedKind, { -readonly [Outcome in keyof ImportCounts]: number }>;
  readonly #sections: Record<string, number> = {};
  readonly #notTaken = new Map<string, Group>();
  readonly #altered = new Map<string, Group>();
  readonly #appears = Object.fromEntries(importedKinds.map((kind) => [kind, 0])) as Record<ImportedKind, number>;
  #told = 0;

  /** Number of the file's things that have an outcome. */
  get told(): number {
    return this.#told;
  }

  /** Things that were taken. */
  took(kind: ImportedKind, outcome: Exclude<keyof ImportCounts, 'notTaken'>, count = 1): void {
    this.#counts[kind][outcome] += count;
    this.#told += count;
  }

  /** Something that was not. `kind` is one of ours, or what the source calls it. */
  left(kind: string, name: string, reason: string, count = 1): void {
    this.leftWithin(kind, name, reason, count);
    this.#told += count;
  }

  /** Something that was not taken and is no thing of its own: a comment, a tag too many. */
  leftWithin(kind: string, name: string, reason: string, count = 1): void {
    if (isOurs(kind)) this.#counts[kind].notTaken += count;
    add(this.#notTaken, { kind, name, reason, count });
  }

  /** Reports a change to a thing that was imported. */
  altered(kind: string, name: string, reason: string, count = 1): void {
    add(this.#altered, { kind, name, reason, count });
  }

  /** Things that visitors see at once. */
  appears(kind: ImportedKind, count = 1): void {
    this.#appears[kind] += count;
  }

  sections(types: readonly string[]): void {
    for (const type of types) this.#sections[type] = (this.#sections[type] ?? 0) + 1;
  }

  report(): ImportReport {
    return structuredClone({
      counts: this.#counts,
      sections: this.#sections,
      appears: this.#appears,
      notTaken: remarksOf(this.#notTaken),
      altered: remarksOf(this.#altered),
    });
  }
}

function isOurs(kind: string): kind is ImportedKind {
  return importedKinds.some((known) => known === kind);
}

function add(groups: Map<string, Group>, { name, count, ...remark }: ImportRemark): void {
  const said = {
    kind: shorten(remark.kind.toWellFormed().trim(), MAX_NAME_CHARS),
    reason: shorten(remark.reason.toWellFormed().trim(), MAX_REASON_CHARS),
  };
  const isListed = groups.has(keyOf(said)) || groups.size < MOST_REMARKS;
  const { kind, reason } = isListed ? said : OTHER;
  const group = groups.get(keyOf({ kind, reason })) ?? { kind, reason, names: [], count: 0 };
  group.count += count;
  const short = shorten(name.toWellFormed().trim(), MAX_NAME_CHARS);
  if (group.names.length < MOST_NAMES && short !== '' && !group.names.includes(short)) group.names.push(short);
  groups.set(keyOf({ kind, reason }), group);
}

function keyOf({ kind, reason }: Pick<Group, 'kind' | 'reason'>): string {
  return `${kind}\n${reason}`;
}

function remarksOf(groups: ReadonlyMap<string, Group>): ImportRemark[] {
  return [...groups.values()].map(({ kind, reason, names, count }) => ({
    kind,
    name: names.join(', '),
    reason,
    count,
  }));
}
