import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { Entry, PatchOp } from '#server/core/site/content';
import type { ChangeOrigin, ChangeSet } from '#server/core/site/changes';
import { ThroughlineError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import type { Picture } from '#server/core/site/prepared-picture';
import { createContentRepository } from '#server/site/store/content-repository';
import { type Change, ContentModel, Refused, Thing } from '#tests/support/content-model';
import { createTestDatabase } from '#tests/support/test-database';

const RUNS = Number(process.env['CONTENT_RUNS'] ?? 25);

const SESSION = 'ses_model';
/** `assistant` works in turns, `hand` is its user between them; the others know nothing of it. */
const writers = ['assistant', 'assistant', 'assistant', 'hand', 'other', 'api'] as const;
type Writer = (typeof writers)[number];

const word = fc.constantFrom('ash', 'bone', 'clay', 'dust', 'east');
const place = fc.nat(6);
const who = fc.constantFrom(...writers);

const edit = fc.record({
  op: fc.constantFrom('set', 'set', 'slug', 'unset', 'insert', 'insert', 'fields', 'fields', 'move', 'move', 'remove'),
  field: fc.constantFrom('title' as const, 'excerpt' as const, 'author' as const),
  a: place,
  b: place,
  word,
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      who,
      at: place,
      edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'publish' as const,
        'publish' as const,
        'unpublish' as const,
        'discard' as const,
        'trash' as const,
        'restore' as const,
      ),
      who,
      at: place,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('plan' as const, 'take back the plan' as const), who, at: place }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('version' as const), who, at: place, back: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('create' as const), who, word }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('navigation' as const, 'settings' as const, 'picture' as const),
      who,
      word,
      a: place,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('next turn' as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('undo' as const, 'redo' as const), who, pick: fc.nat(30) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('undo newest' as const),
      who: fc.constantFrom('assistant' as const, 'hand' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('undo turn' as const, 'undo session' as const),
      who: fc.constantFrom('assistant' as const, 'hand' as const, 'api' as const),
      partial: fc.boolean(),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Of<Kind extends Step['do']> = Extract<Step, { do: Kind }>;
type Undo = Extract<Step, { pick: number }>;
type UndoAll = Pick<Extract<Step, { partial: boolean }>, 'who' | 'partial'>;

/** What every file is taken for: only its description is changed here. */
const picture: Picture = {
  hash: 'a'.repeat(64),
  filename: 'kiln.png',
  mediaType: 'image/png',
  width: 1,
  height: 1,
  data: new Uint8Array([1]),
  thumbnail: new Uint8Array([1]),
};

/** Plays steps on a site and on its model. */
class Play {
  readonly #content: ContentBackend;
  /** A stored entry, trashed or not. */
  readonly #stored: (id: string) => Promise<Entry | null>;
  readonly #model = new ContentModel();
  readonly #entries: Thing[] = [];
  /** Texts of drafts by thing and revision, from 1. */
  readonly #versions = new Map<Thing, string[]>();
  #picture: Thing | null = null;
  #turn = 1;
  /** A time to plan for. */
  #farAhead = 1_800_000_000_000;

  constructor(content: ContentBackend, stored: (id: string) => Promise<Entry | null>) {
    this.#content = content;
    this.#stored = stored;
  }

  async start(): Promise<void> {
    this.#addThing(new Thing('navigation', 'navigation', { items: [] }));
    const settings = (await this.#content.settings()) as unknown as Record<string, JsonValue>;
    this.#addThing(new Thing('settings', 'settings', settings));
    const { asset } = await this.#content.assets.add(
      { data: new Uint8Array(), filename: 'kiln.png' },
      { actor: 'seed' },
    );
    this.#picture = new Thing(asset.id, 'asset', { alt: '', tags: [] });
    this.#addThing(this.#picture);
    for (const slug of ['ash', 'bone']) {
      const sections = ['one', 'two', 'three'].map((body) => ({ type: 'text' as const, fields: { body } }));
      await this.#create({ type: 'page', title: slug, slug, sections }, { actor: 'seed' });
    }
  }

  #addThing(thing: Thing): void {
    this.#model.things.set(thing.id, thing);
    this.#versions.set(thing, []);
  }

  #originOf(writer: Writer): ChangeOrigin {
    switch (writer) {
      case 'assistant':
        return { actor: 'assistant', sessionId: SESSION, turnId: `trn_${this.#turn}` };
      case 'hand':
        return { actor: 'user', sessionId: SESSION };
      case 'other':
        return { actor: 'assistant', sessionId: 'ses_other', turnId: 'trn_other' };
      case 'api':
        return { actor: 'api' };
    }
  }

  #row({ id, origin }: ChangeSet, isUndo: boolean) {
    const { sessionId, turnId } = origin;
    const named = { name: origin.actor, ...(sessionId && { sessionId }), ...(turnId && { turnId }) };
    return { id, who: named, seq: this.#model.nextSeq(), isUndo };
  }

  /** Does it, where the model says that it can be done; else expects a refusal. */
  async #attempt<T>(foresee: () => void, write: () => Promise<T>): Promise<T | null> {
    let reason: Refused | null = null;
    try {
      foresee();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      reason = error;
    }
    if (reason === null) return write();
    const refused = await write().then(
      () => `was done, though ${reason.message}`,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(ThroughlineError);
    return null;
  }

  async #create(entry: Parameters<ContentBackend['create']>[0], origin: ChangeOrigin): Promise<void> {
    const foresee = () => {
      const slugs = this.#entries.filter(({ state }) => state.isLive).map(({ state }) => state.values['slug']);
      if (slugs.includes(entry.slug ?? '')) throw new Refused('slug taken');
    };
    const made = await this.#attempt(foresee, () => this.#content.create(entry, origin));
    if (made === null) return;
    const { sections: _sections, ...values } = made.entry.draft;
    const thing = new Thing(made.entry.id, 'page', values as unknown as Record<string, JsonValue>, made.entry.draft);
    this.#addThing(thing);
    this.#entries.push(thing);
    thing.add([{ kind: 'life', isLive: true }], this.#row(made.change, false));
  }

  #operations(thing: Thing, edits: readonly Edit[]): PatchOp[] {
    const number = this.#entries.indexOf(thing);
    const order = thing.order;
    return edits.flatMap(({ op, field, a, b, word: value }): PatchOp[] => {
      const sectionId = order[a % Math.max(1, order.length)];
      if (op === 'set') return [{ op: 'set', field, value }];
      if (op === 'slug') return [{ op: 'set', field: 'slug', value }];
      if (op === 'unset') return field === 'title' ? [] : [{ op: 'unset', field }];
      if (op === 'insert') {
        const id = `sec_x${number}xx${a % 4}`;
        if (order.includes(id)) return [];
        order.splice(Math.min(b, order.length), 0, id);
        return [{ op: 'insert-section', section: { id, type: 'text', fields: { body: value } }, index: b }];
      }
      if (sectionId === undefined) return [];
      if (op === 'fields')
        return [
          {
            op: 'set-section',
            sectionId,
            fields: b % 3 === 0 ? { heading: null } : b % 3 === 1 ? { heading: value } : { body: value },
          },
        ];
      order.splice(order.indexOf(sectionId), 1);
      if (op === 'remove') return [{ op: 'remove-section', sectionId }];
      order.splice(b, 0, sectionId);
      return [{ op: 'move-section', sectionId, index: b }];
    });
  }

  async play(one: Step): Promise<void> {
    switch (one.do) {
      case 'next turn':
        this.#turn += 1;
        return;
      case 'edit':
        return this.#edit(one);
      case 'create':
        return this.#create({ type: 'page', title: one.word, slug: one.word }, this.#originOf(one.who));
      case 'navigation':
      case 'settings':
      case 'picture':
        return this.#editSite(one);
      case 'version':
        return this.#restoreVersion(one);
      case 'plan':
      case 'take back the plan':
        return this.#plan(one);
      case 'undo':
        return this.#undo(one);
      case 'redo':
        return this.#redo(one);
      case 'undo newest':
        return this.#undoNewest(one);
      case 'undo turn':
        return this.undoAll(one, [`trn_${this.#turn}`]);
      case 'undo session':
        return this.undoAll(one);
      default:
        return this.#writeEntry(one);
    }
  }

  async #edit({ who: writer, at, edits }: Of<'edit'>): Promise<void> {
    const thing = this.#entries[at % this.#entries.length]!;
    const operations = this.#operations(thing, edits);
    const effects = thing.effectsOf(thing.state.isLive ? operations : []);
    const foresee = () => {
      if (operations.length === 0) throw new Refused('nothing to do');
      if (!thing.state.isLive) throw new Refused('in the trash');
      const slug = operations.findLast(({ op, ...rest }) => op === 'set' && 'field' in rest && rest.field === 'slug');
      const values = { ...thing.state.values, ...(slug && 'value' in slug && { slug: slug.value }) };
      this.#model.requireFreeSlugs(thing, { ...thing.state, values });
    };
    const done = await this.#attempt(foresee, () => this.#content.patch(thing.id, operations, this.#originOf(writer)));
    if (done !== null) thing.add(effects, this.#row(done.change, false));
  }

  async #plan({ who: writer, at, do: what }: Of<'plan' | 'take back the plan'>): Promise<void> {
    const thing = this.#entries[at % this.#entries.length]!;
    const { state, text } = thing;
    this.#farAhead += 1;
    const publishAt = what === 'plan' ? this.#farAhead : null;
    const foresee = () => {
      if (!state.isLive) throw new Refused('in the trash');
      if (publishAt === null && state.publishAt === null) throw new Refused('not planned');
      if (publishAt !== null && state.published === text) throw new Refused('nothing to publish');
    };
    const done = await this.#attempt(foresee, () =>
      this.#content.schedule(thing.id, publishAt, this.#originOf(writer)),
    );
    if (done !== null)
      thing.add([{ kind: 'plan', publishAt, text: publishAt === null ? null : text }], this.#row(done.change, false));
  }

  async #writeEntry(one: Of<'publish' | 'unpublish' | 'discard' | 'trash' | 'restore'>): Promise<void> {
    const thing = this.#entries[one.at % this.#entries.length]!;
    const { state, text } = thing;
    const origin = this.#originOf(one.who);
    const foresee = () => {
      if (state.isLive === (one.do === 'restore')) throw new Refused('where it already is');
      if (one.do === 'publish') this.#model.requireFreeSlugs(thing, { ...state, published: text });
      if (one.do === 'restore') this.#model.requireFreeSlugs(thing, { ...state, isLive: true });
      if (['unpublish', 'discard'].includes(one.do) && state.published === null) throw new Refused('not published');
      if (one.do !== 'discard' || state.published === null) return;
      if (state.published === text) throw new Refused('nothing to discard');
      this.#model.requireFreeSlugs(thing, {
        ...state,
        values: JSON.parse(state.published) as Record<string, JsonValue>,
      });
    };
    const write = () => {
      if (one.do === 'discard') return this.#content.discardDraft(thing.id, origin);
      return this.#content[one.do](thing.id, origin);
    };
    const done = await this.#attempt(foresee, write);
    if (done === null) return;
    expect(done.change === null).toBe(one.do === 'publish' && text === state.published);
    if (done.change === null) return;
    const row = this.#row(done.change, false);
    const unplanned = state.publishAt === null ? [] : [{ kind: 'plan' as const, publishAt: null, text: null }];
    if (one.do === 'publish') thing.add([{ kind: 'published', text }, ...unplanned], row);
    if (one.do === 'unpublish') thing.add([{ kind: 'published', text: null }, ...unplanned], row);
    if (one.do === 'trash') thing.add([{ kind: 'life', isLive: false }, ...unplanned], row);
    if (one.do === 'restore') thing.switch(thing.trashing!, row);
    if (one.do === 'discard') {
      thing.add([...thing.effectsOf(done.change.operations), ...unplanned], row);
      expect(thing.text).toBe(state.published);
    }
  }

  async #restoreVersion({ who: writer, at, back }: Of<'version'>): Promise<void> {
    const thing = this.#entries[at % this.#entries.length]!;
    const { state } = thing;
    const versions = this.#versions.get(thing)!;
    const revision = Math.max(1, versions.length - back);
    const text = versions[revision - 1]!;
    const values = JSON.parse(text) as Record<string, JsonValue>;
    const done = await this.#attempt(
      () => this.#model.requireFreeSlugs(thing, { ...state, isLive: true, values }),
      () => this.#content.restoreVersion(thing.id, revision, this.#originOf(writer)),
    );
    if (done === null) return;
    const effects = thing.effectsOf(done.change.operations);
    const alive = state.isLive ? [] : [{ kind: 'life' as const, isLive: true }];
    thing.add([...effects, ...alive], this.#row(done.change, false));
    expect(thing.text).toBe(text);
  }

  async #editSite(one: Of<'navigation' | 'settings' | 'picture'>): Promise<void> {
    const thing = one.do === 'picture' ? this.#picture! : this.#model.things.get(one.do)!;
    const origin = this.#originOf(one.who);
    if (one.do === 'navigation') {
      const items = [{ label: one.word, href: `/${one.word}` }];
      const row = this.#row(await this.#content.setNavigation(items, origin), false);
      return thing.add([{ kind: 'value', name: 'items', value: items }], row);
    }
    if (one.do === 'picture') {
      const patch = one.a % 2 === 0 ? { alt: one.word } : { tags: [one.word] };
      const [[name, value] = ['', null]] = Object.entries(patch);
      const foresee = () => {
        const isSame = JSON.stringify(thing.state.values[name]) === JSON.stringify(value);
        if (isSame) throw new Refused('nothing to change');
      };
      const done = await this.#attempt(foresee, () => this.#content.assets.update(thing.id, patch, origin));
      if (done !== null) thing.add([{ kind: 'value', name, value }], this.#row(done.change, false));
      return;
    }
    const name = one.a % 2 === 0 ? 'siteName' : 'tagline';
    const row = this.#row(await this.#content.updateSettings({ [name]: one.word }, origin), false);
    return thing.add(thing.state.values[name] === one.word ? [] : [{ kind: 'value', name, value: one.word }], row);
  }

  #allChanges(): { thing: Thing; change: Change }[] {
    return [...this.#model.things.values()].flatMap((thing) => thing.changes.map((change) => ({ thing, change })));
  }

  async #switch(thing: Thing, change: Change, id: string, writer: Writer): Promise<void> {
    const done = await this.#attempt(
      () => this.#model.requireSwitch(thing, change),
      () => this.#content.undo(id, this.#originOf(writer)),
    );
    if (done !== null) thing.switch(change, this.#row(done, true));
  }

  async #undo({ who: writer, pick }: Undo): Promise<void> {
    const all = this.#allChanges();
    const picked = all[pick % all.length]!;
    const [first] = picked.change.rows;
    if (picked.thing.isOn(picked.change)) return this.#switch(picked.thing, picked.change, first.id, writer);
    await this.#attempt(
      () => {
        throw new Refused('already undone');
      },
      () => this.#content.undo(first.id, this.#originOf(writer)),
    );
  }

  async #redo({ who: writer, pick }: Undo): Promise<void> {
    const undone = this.#allChanges().filter(({ thing, change }) => !thing.isOn(change));
    const picked = undone[pick % Math.max(1, undone.length)];
    if (picked === undefined) return;
    await this.#switch(picked.thing, picked.change, picked.change.rows.at(-1)!.id, writer);
  }

  async #undoNewest({ who: writer }: Of<'undo newest'>): Promise<void> {
    const newest = await this.#content.newestStanding(SESSION);
    const found = this.#model.newestStanding(SESSION);
    expect(newest?.id).toBe(found?.id);
    if (found === undefined) return;
    const done = await this.#attempt(
      () => this.#model.requireSwitch(found.thing, found.change),
      () => this.#content.undo(undefined, this.#originOf(writer)),
    );
    if (done !== null) found.thing.switch(found.change, this.#row(done, true));
  }

  /** Everything, or nothing if something prevents it and `partial` is not set. */
  async undoAll({ who: writer, partial }: UndoAll, turnIds?: string[]): Promise<void> {
    const selection = { sessionId: SESSION, ...(turnIds && { turnIds }) };
    const origin = this.#originOf(writer);
    const rehearsed = await this.#content.undoAll(selection, origin, { partial: true, dryRun: true });
    await this.check();
    const { open, foreign } = this.#model.planUndo(SESSION, turnIds);
    if (!partial && rehearsed.conflicts.length > 0) {
      await expect(this.#content.undoAll(selection, origin)).rejects.toThrow(ThroughlineError);
      return;
    }
    const { undone, conflicts } = await this.#content.undoAll(selection, origin, { partial });
    expect([undone.length, conflicts.length]).toEqual([rehearsed.undone.length, rehearsed.conflicts.length]);
    const rows = [...undone];
    let refused = foreign;
    for (const { thing, change } of open) {
      try {
        this.#model.requireSwitch(thing, change);
        const row = rows.shift();
        expect(row?.targetId).toBe(thing.id);
        thing.switch(change, this.#row(row!, true));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        refused += 1;
      }
    }
    expect([rows, conflicts.length]).toEqual([[], refused]);
  }

  /** The site is what the model says, to the letter. */
  async check(): Promise<void> {
    const settings = this.#model.things.get('settings')!;
    expect(JSON.stringify(await this.#content.settings())).toBe(
      JSON.stringify({ ...(await this.#content.settings()), ...settings.state.values }),
    );
    const navigation = this.#model.things.get('navigation')!;
    expect(JSON.stringify(await this.#content.navigation())).toBe(JSON.stringify(navigation.state.values['items']));
    const { alt, tags } = await this.#content.assets.get(this.#picture!.id);
    expect(JSON.stringify({ alt, tags })).toBe(JSON.stringify({ alt: '', ...this.#picture!.state.values }));
    for (const thing of this.#entries) {
      const { state, text } = thing;
      const entry = (await this.#stored(thing.id))!;
      expect(JSON.stringify(entry.draft), thing.id).toBe(text);
      expect(entry.published === null ? null : JSON.stringify(entry.published)).toBe(state.published);
      expect(entry.deletedAt === null).toBe(state.isLive);
      expect(entry.publishAt).toBe(state.publishAt);
      expect(entry.planned === null ? null : JSON.stringify(entry.planned)).toBe(state.planned);
      await this.#remember(thing, entry.revision, text);
    }
  }

  async #remember(thing: Thing, newest: number, text: string): Promise<void> {
    const versions = this.#versions.get(thing)!;
    for (let revision = versions.length + 1; revision < newest; revision += 1) {
      versions.push(JSON.stringify(await this.#content.version(thing.id, revision)));
    }
    if (versions.length < newest) versions.push(text);
  }

  /** Used by another page of another user. */
  #isSlugTaken(thing: Thing, change: Change): boolean {
    try {
      this.#model.requireSwitch(thing, change);
      return false;
    } catch (error) {
      return error instanceof Refused && error.message.startsWith('slug');
    }
  }

  /** After the undo of the whole session: what no other user touched is restored, and their changes remain. */
  async checkUndone(): Promise<void> {
    const { open } = this.#model.planUndo(SESSION);
    const isOurs = ({ who: { sessionId } }: Change['rows'][0]) => sessionId === SESSION;
    for (const thing of this.#model.things.values()) {
      const isUntouched = thing.changes.every(
        ({ rows }) => rows.slice(1).every(isOurs) && (isOurs(rows[0]) || rows[0].who.name === 'seed'),
      );
      const isTheirs = thing.changes[0] !== undefined && isOurs(thing.changes[0].rows[0]);
      const [first] = open.filter((each) => each.thing === thing);
      if (!isUntouched || (first !== undefined && this.#isSlugTaken(thing, first.change))) continue;
      expect(thing.standing.filter(({ rows }) => isOurs(rows[0]))).toEqual([]);
      if (thing.type === 'page' && !isTheirs) {
        expect(JSON.stringify((await this.#stored(thing.id))!.draft)).toBe(this.#versions.get(thing)![0]);
      }
    }
    const lost = this.#allChanges().filter(({ thing, change }) => {
      const last = change.rows.findLastIndex((row) => !isOurs(row));
      return !isOurs(change.rows[0]) && last % 2 === 0 && !thing.isOn(change);
    });
    expect(lost.every(({ change }) => open.some((each) => each.change === change))).toBe(true);
  }
}

async function playAll(steps: readonly Step[]): Promise<void> {
  await using db = await createTestDatabase();
  const store = createContentRepository(db);
  let time = 1_700_000_000_000;
  const content = new EmbeddedSite(store, {
    now: () => (time += 1),
    preparePicture: () => Promise.resolve(picture),
  });
  const play = new Play(content, (id) => store.entry(id));
  await play.start();
  await play.check();
  for (const one of steps) {
    await play.play(one);
    await play.check();
  }
  await play.undoAll({ who: 'hand', partial: true });
  await play.check();
  await play.checkUndone();
}

describe('content under any edits and undos', () => {
  it(
    'equals a plain model, and an undone session leaves exactly the changes of others',
    () => fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), playAll), { numRuns: RUNS }),
    600_000,
  );
});
