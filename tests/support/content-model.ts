import type { EntryDocument, EntryType, PatchOp } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';

/*
 * A second, plain model of a site after any edits and undos: per thing a list of the standing changes, applied in
 * order to its first state. An undo removes a change from the list, a redo appends it. Sections have ranks, numbers
 * that they keep.
 */

/** Who did something. */
export interface Who {
  readonly name: string;
  readonly sessionId?: string;
  readonly turnId?: string;
}

interface ModelSection {
  readonly type: string;
  readonly rank: number;
  readonly fields: Readonly<Record<string, JsonValue>>;
}

/** A thing's whole state. Of navigation and settings only the values. */
interface State {
  readonly isLive: boolean;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly sections: ReadonlyMap<string, ModelSection>;
  /** The stored text of what visitors see. */
  readonly published: string | null;
  /** When it is published by itself. */
  readonly publishAt: number | null;
  /** The stored text of what is published then. */
  readonly planned: string | null;
}

/** One thing that a change did, with all that it takes to do it again. */
type Effect =
  | { readonly kind: 'value'; readonly name: string; readonly value: JsonValue | undefined }
  | { readonly kind: 'section'; readonly id: string; readonly section: ModelSection | null }
  | { readonly kind: 'fields'; readonly id: string; readonly fields: Readonly<Record<string, JsonValue>> }
  | { readonly kind: 'rank'; readonly id: string; readonly rank: number }
  | { readonly kind: 'published'; readonly text: string | null }
  | { readonly kind: 'plan'; readonly publishAt: number | null; readonly text: string | null }
  | { readonly kind: 'life'; readonly isLive: boolean };

/** A row of the journal that made a change stand, or no longer stand. */
interface Row {
  readonly id: string;
  readonly who: Who;
  readonly seq: number;
  readonly isUndo: boolean;
}

export interface Change {
  readonly effects: readonly Effect[];
  /** The first made it; each later one switched it off or on again. */
  readonly rows: [Row, ...Row[]];
  /** What it was put upon when it was last switched off. */
  under: string;
}

export class Refused extends Error {}

function pathsOf(effect: Effect): string[] {
  switch (effect.kind) {
    case 'value':
      return [`value:${effect.name}`];
    case 'section':
      return [`section:${effect.id}`];
    case 'fields':
      return Object.keys(effect.fields).map((name) => `section:${effect.id}:${name}`);
    case 'rank':
      return [`section:${effect.id}:(rank)`];
    case 'published':
      return ['published'];
    case 'plan':
      return ['publishAt'];
    case 'life':
      return ['*'];
  }
}

function overlap(one: Change, other: Change): boolean {
  const paths = one.effects.flatMap(pathsOf);
  return other.effects
    .flatMap(pathsOf)
    .some((path) =>
      paths.some(
        (own) =>
          own === '*' || path === '*' || own === path || own.startsWith(`${path}:`) || path.startsWith(`${own}:`),
      ),
    );
}

function withoutNulls(fields: Readonly<Record<string, JsonValue>>) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function apply(state: State, effect: Effect): State {
  const sections = new Map(state.sections);
  switch (effect.kind) {
    case 'value': {
      const { [effect.name]: _former, ...others } = state.values;
      return {
        ...state,
        values: effect.value === undefined ? others : { ...state.values, [effect.name]: effect.value },
      };
    }
    case 'section':
      if (effect.section === null) sections.delete(effect.id);
      else sections.set(effect.id, effect.section);
      return { ...state, sections };
    case 'fields': {
      const section = sections.get(effect.id)!;
      sections.set(effect.id, { ...section, fields: withoutNulls({ ...section.fields, ...effect.fields }) });
      return { ...state, sections };
    }
    case 'rank':
      sections.set(effect.id, { ...sections.get(effect.id)!, rank: effect.rank });
      return { ...state, sections };
    case 'published':
      return { ...state, published: effect.text };
    case 'plan':
      return { ...state, publishAt: effect.publishAt, planned: effect.text };
    case 'life':
      return { ...state, isLive: effect.isLive };
  }
}

const FIELD_ORDER = ['title', 'slug', 'excerpt', 'author', 'tags', 'image', 'parent', 'seo'];
const SECTION_FIELDS = ['heading', 'subheading', 'image', 'body'];

function inOrder(values: Readonly<Record<string, JsonValue>>, order: readonly string[]) {
  return Object.fromEntries(
    order.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]] as const])),
  );
}

/** The stored text of an entry's document. */
function textOf({ values, sections }: State): string {
  const ordered = [...sections].toSorted(([, a], [, b]) => a.rank - b.rank);
  return JSON.stringify({
    ...inOrder(values, FIELD_ORDER),
    sections: ordered.map(([id, { type, fields }]) => ({ id, type, fields: inOrder(fields, SECTION_FIELDS) })),
  });
}

/** One page, post, or document of the site. */
export class Thing {
  readonly id: string;
  readonly type: EntryType | 'asset' | 'navigation' | 'settings';
  readonly changes: Change[] = [];
  readonly start: State;
  #standing: Change[] = [];
  #ranks: number[];

  constructor(id: string, type: Thing['type'], values: Readonly<Record<string, JsonValue>>, document?: EntryDocument) {
    this.id = id;
    this.type = type;
    const sections = document?.sections ?? [];
    this.#ranks = sections.map((_, index) => index);
    this.start = {
      isLive: document === undefined,
      values,
      sections: new Map(sections.map(({ id: key, type: kind, fields }, rank) => [key, { type: kind, rank, fields }])),
      published: null,
      publishAt: null,
      planned: null,
    };
  }

  get state(): State {
    return this.#fold(this.#standing);
  }

  get text(): string {
    return textOf(this.state);
  }

  get standing(): readonly Change[] {
    return this.#standing;
  }

  get order(): string[] {
    return [...this.state.sections].toSorted(([, a], [, b]) => a.rank - b.rank).map(([id]) => id);
  }

  #fold(changes: readonly Change[]): State {
    return changes.flatMap(({ effects }) => effects).reduce(apply, this.start);
  }

  /** Directly after the existing item, before any place that was ever assigned after it. */
  #rankAt(index: number, order: readonly { readonly rank: number }[]): number {
    const former = order[Math.min(index, order.length) - 1]?.rank;
    const later = this.#ranks.filter((rank) => former === undefined || rank > former);
    const next = later.length === 0 ? undefined : Math.min(...later);
    const rank =
      former === undefined ? (next ?? 0) - 1 : next === undefined ? former + 1 : former + (next - former) / 2;
    this.#ranks.push(rank);
    return rank;
  }

  /** What operations do here and now. */
  effectsOf(operations: readonly PatchOp[]): Effect[] {
    const effects: Effect[] = [];
    let state = this.state;
    const places = (without?: string) =>
      [...state.sections]
        .filter(([id]) => id !== without)
        .map(([, section]) => section)
        .toSorted((a, b) => a.rank - b.rank);
    for (const operation of operations) {
      const effect = this.#effectOf(operation, places);
      state = apply(state, effect);
      effects.push(effect);
    }
    return effects;
  }

  #effectOf(operation: PatchOp, places: (without?: string) => ModelSection[]): Effect {
    switch (operation.op) {
      case 'set':
        return { kind: 'value', name: operation.field, value: operation.value };
      case 'unset':
        return { kind: 'value', name: operation.field, value: undefined };
      case 'set-section':
        return { kind: 'fields', id: operation.sectionId, fields: operation.fields };
      case 'remove-section':
        return { kind: 'section', id: operation.sectionId, section: null };
      case 'move-section': {
        const rank = this.#rankAt(operation.index, places(operation.sectionId));
        return { kind: 'rank', id: operation.sectionId, rank };
      }
      case 'insert-section': {
        const { id, type, fields } = operation.section;
        const rank = this.#rankAt(operation.index ?? Infinity, places());
        return { kind: 'section', id, section: { type, rank, fields } };
      }
    }
  }

  add(effects: readonly Effect[], row: Omit<Row, 'isUndo'>): void {
    const change: Change = { effects, rows: [{ ...row, isUndo: false }], under: '' };
    this.changes.push(change);
    this.#standing.push(change);
  }

  isOn(change: Change): boolean {
    return this.#standing.includes(change);
  }

  #beneath(change: Change): string {
    return this.#standing
      .filter((other) => other !== change && overlap(change, other))
      .map(({ rows }) => rows[0].id)
      .toSorted()
      .join();
  }

  /** The list once the change is switched; throws where that would lose something. */
  switched(change: Change): State {
    const index = this.#standing.indexOf(change);
    if (index === -1) {
      if (this.#beneath(change) !== change.under) throw new Refused('something else was put there');
      return this.#fold([...this.#standing, change]);
    }
    if (this.#standing.slice(index + 1).some((later) => overlap(change, later))) throw new Refused('built upon');
    return this.#fold(this.#standing.filter((other) => other !== change));
  }

  switch(change: Change, row: Row): void {
    if (this.isOn(change)) {
      this.#standing = this.#standing.filter((other) => other !== change);
      change.under = this.#beneath(change);
    } else {
      this.#standing = [...this.#standing, change];
    }
    change.rows.push(row);
  }

  /** What to switch so that it comes out of the trash. */
  get trashing(): Change | undefined {
    const isLife = ({ effects }: Change) => effects.some(({ kind }) => kind === 'life');
    const [created] = this.changes;
    return created !== undefined && !this.isOn(created) ? created : this.#standing.findLast(isLife);
  }
}

/** A site of such things. */
export class ContentModel {
  readonly things = new Map<string, Thing>();
  #seq = 0;

  nextSeq(): number {
    return (this.#seq += 1);
  }

  /** @throws Refused where a live entry would have the slug of another one */
  requireFreeSlugs(thing: Thing, state: State): void {
    if (!state.isLive) return;
    const slugOf = (text: string | null) => (text === null ? null : (JSON.parse(text) as { slug: string }).slug);
    for (const other of this.things.values()) {
      if (other === thing || other.type !== thing.type || !other.state.isLive) continue;
      if (other.state.values['slug'] === state.values['slug']) throw new Refused('slug taken');
      if (state.published !== null && slugOf(other.state.published) === slugOf(state.published)) {
        throw new Refused('slug still published');
      }
    }
  }

  /** @throws Refused */
  requireSwitch(thing: Thing, change: Change): void {
    this.requireFreeSlugs(thing, thing.switched(change));
  }

  /** The newest row of a session that is in effect and is no undo. */
  newestStanding(sessionId: string) {
    return [...this.things.values()]
      .flatMap((thing) => thing.changes.map((change) => ({ thing, change })))
      .flatMap(({ thing, change }) =>
        change.rows.map(({ id, ...row }, index) => ({ id, ...row, index, thing, change })),
      )
      .filter(({ who, isUndo, index, change }) => {
        const isInEffect = (change.rows.length - 1 - index) % 2 === 0;
        return who.sessionId === sessionId && !isUndo && isInEffect;
      })
      .toSorted((a, b) => b.seq - a.seq)
      .at(0);
  }

  /** What taking back a session, or some of its turns, has to switch, newest first; and what others brought back. */
  planUndo(sessionId: string, turnIds?: readonly string[]) {
    const isSelected = ({ who }: Row) =>
      who.sessionId === sessionId && (turnIds === undefined || turnIds.includes(who.turnId ?? ''));
    const found = [...this.things.values()].flatMap((thing) =>
      thing.changes
        .filter(({ rows }) => rows.some(isSelected))
        .map((change) => {
          const isMade = isSelected(change.rows[0]);
          const isByHand = ({ who, isUndo }: Row) => isUndo && who.sessionId === sessionId && who.turnId === undefined;
          const isOurs = (row: Row) => isSelected(row) || (isMade && isByHand(row));
          const lastForeign = change.rows.findLastIndex((row) => !isOurs(row));
          const wasOn = !isMade && lastForeign % 2 === 0;
          const hasLastWord = lastForeign < change.rows.length - 1;
          return { thing, change, isMade, isWrong: thing.isOn(change) !== wasOn, hasLastWord };
        }),
    );
    return {
      open: found
        .filter(({ isWrong, hasLastWord }) => isWrong && hasLastWord)
        .toSorted((a, b) => b.change.rows.at(-1)!.seq - a.change.rows.at(-1)!.seq),
      foreign: found.filter(({ isWrong, hasLastWord, isMade }) => isWrong && !hasLastWord && isMade).length,
    };
  }
}
