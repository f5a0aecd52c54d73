import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { applyOperations } from '#server/site/document-operations';
import { writeConflictSchema, type ExpectedValue } from '#server/core/site/write-checks/write-conflict';
import { valuesReplacedBy } from '#server/core/site/write-checks/replaced-values';
import { type EntryDocument, entrySchema, type PatchOp, type Section } from '#server/core/site/content';
import { type ChangeSet, entryChangeSchema } from '#server/core/site/changes';
import { type JsonObject, sameJson } from '#server/core/json';
import { sessionSchema } from '#server/core/conversation/sessions';
import { changePageSchema } from '#server/core/site/site-lists';
import { isDeep } from '#tests/support/deep';
import type { RestAnswer } from '#tests/support/rest-client';
import { useScriptedServer } from '#tests/support/scripted-server';
import { said } from '#tests/support/said';

/** A model that makes the call which the message of its user spells out. */
const server = useScriptedServer(({ messages }) => {
  const newest = messages.at(-1);
  const [, call] = /CALL (\{.*\}) END/.exec(JSON.stringify(newest?.content ?? '').replaceAll('\\"', '"')) ?? [];
  if (newest?.role !== 'user' || call === undefined) return { text: 'Done.' };
  const { name, input } = JSON.parse(call) as { name: string; input: JsonObject };
  return { text: '', toolCalls: [{ id: `call_${crypto.randomUUID().slice(0, 8)}`, name, input }] };
});

/** Two people: one in our pages, whose changes the test announces, the other with a program. */
const hands = ['first', 'second'] as const;
type Hand = (typeof hands)[number];

function ask(method: string, path: string, body?: unknown, hand: Hand = 'first'): Promise<RestAnswer> {
  return server.send(method, path, body, hand === 'first' ? { 'sec-fetch-site': 'same-origin' } : {});
}

async function get<T>(schema: z.ZodType<T>, answer: Promise<RestAnswer>): Promise<T> {
  const given = await answer;
  expect(given.status, given.text.slice(0, 500)).toBeLessThan(300);
  return schema.parse(given.json());
}

/** Fields that are written, by the index of their section when the page was made. */
const places = [
  [0, 'heading'],
  [0, 'subheading'],
  [1, 'body'],
  [2, 'items'],
] as const;
type Place = (typeof places)[number];

const arbitraryStep = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('type'), hand: fc.constantFrom(...hands), place: fc.constantFrom(...places), looks: fc.boolean(), times: fc.integer({ min: 1, max: 3 }) } as const) }, // oxfmt-ignore
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('both'), place: fc.constantFrom(...places), other: fc.constantFrom(...places) } as const) }, // oxfmt-ignore
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('add', 'move', 'remove'), hand: fc.constantFrom(...hands), at: fc.nat(4), looks: fc.boolean() } as const) }, // oxfmt-ignore
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('assistant'), place: fc.constantFrom(...places), reads: fc.boolean() } as const) }, // oxfmt-ignore
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('undo'), back: fc.nat(3) } as const) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redo'), back: fc.nat(1) } as const) },
);
type Step = typeof arbitraryStep extends fc.Arbitrary<infer One> ? One : never;

/** One page that several edit, and all that they were told. */
class Trial {
  readonly #id: string;
  readonly #sectionIds: readonly string[];
  readonly #sessionId: string;
  readonly #start: EntryDocument;
  /** The page as each has seen it last. */
  readonly #seen: Record<Hand | 'assistant', EntryDocument>;
  /** The change that each has typed last. */
  readonly #typed = new Map<Hand, string>();
  /** What each accepted write of a change had seen where it wrote. */
  readonly #accepted: { readonly changeId: string; readonly over: readonly ExpectedValue[]; readonly words: string }[] =
    [];
  /** By the change that took another one back. */
  readonly #undid = new Map<string, string>();
  #words = 0;

  constructor(entry: { id: string; draft: EntryDocument }, sessionId: string) {
    this.#id = entry.id;
    this.#start = entry.draft;
    this.#sectionIds = entry.draft.sections.map(({ id }) => id);
    this.#sessionId = sessionId;
    this.#seen = { first: entry.draft, second: entry.draft, assistant: entry.draft };
  }

  static async begin(): Promise<Trial> {
    const sections = [
      { type: 'hero', fields: { heading: 'Start' } },
      { type: 'text', fields: { body: 'Start' } },
      { type: 'faq', fields: { items: [{ question: 'Start?', answer: 'Start.' }] } },
    ];
    const title = `Page ${crypto.randomUUID().slice(0, 8)}`;
    const { entry } = await get(entryChangeSchema, ask('POST', '/api/content/pages', { title, sections }));
    const { id } = await get(sessionSchema, ask('POST', '/api/sessions', {}));
    const trial = new Trial(entry, id);
    await trial.#assistantCalls('get_content', { ref: entry.id });
    return trial;
  }

  async #draft(): Promise<EntryDocument> {
    return (await get(entrySchema.loose(), ask('GET', `/api/content/pages/${this.#id}`))).draft;
  }

  async #journal(): Promise<readonly ChangeSet[]> {
    const path = `/api/content/changes?targetId=${this.#id}&limit=100`;
    return (await get(changePageSchema, ask('GET', path))).items.toReversed();
  }

  #writing([index, field]: Place): { operation: PatchOp; words: string } {
    this.#words += 1;
    const words = `word${this.#words}`;
    const value = field === 'items' ? [{ question: `${words}?`, answer: words }] : words;
    return { operation: { op: 'set-section', sectionId: this.#sectionIds[index]!, fields: { [field]: value } }, words };
  }

  async #write(hand: Hand, operations: readonly PatchOp[], words: string, joins?: string): Promise<void> {
    const expects = valuesReplacedBy(this.#seen[hand], operations);
    const body = { operations, expects, ...(joins !== undefined && { joins }) };
    const answer = await ask('PATCH', `/api/content/pages/${this.#id}`, body, hand);
    if (answer.status === 200) {
      const { entry, change } = entryChangeSchema.parse(answer.json());
      this.#seen[hand] = entry.draft;
      this.#accepted.push({ changeId: change.id, over: expects, words });
      if (words === '') this.#typed.delete(hand);
      else this.#typed.set(hand, change.id);
      return;
    }
    // A missing section, or a value that differs from the expected one; the answer has the current value.
    expect([404, 409], answer.text).toContain(answer.status);
    if (answer.status === 409) {
      const { error } = z.object({ error: z.object({ details: writeConflictSchema }) }).parse(answer.json());
      for (const { sectionId, field, value } of error.details.changed) {
        const expected = expects.find((each) => each.sectionId === sectionId && each.field === field);
        expect(sameJson(expected?.value, value)).toBe(false);
      }
    }
    this.#seen[hand] = await this.#draft();
  }

  async #assistantCalls(name: string, input: object): Promise<string> {
    const message = said(`CALL ${JSON.stringify({ name, input })} END`);
    const answer = await ask('POST', '/api/chat', { id: this.#sessionId, message });
    expect(answer.status, answer.text).toBe(200);
    this.#seen.assistant = await this.#draft();
    return answer.text;
  }

  async run(step: Step): Promise<void> {
    switch (step.kind) {
      case 'type': {
        if (step.looks) this.#seen[step.hand] = await this.#draft();
        for (let time = 0; time < step.times; time += 1) {
          const { operation, words } = this.#writing(step.place);
          await this.#write(step.hand, [operation], words, this.#typed.get(step.hand));
        }
        return undefined;
      }
      case 'both': {
        const [one, other] = [this.#writing(step.place), this.#writing(step.other)];
        await Promise.all([
          this.#write('first', [one.operation], one.words),
          this.#write('second', [other.operation], other.words),
        ]);
        return undefined;
      }
      case 'assistant': {
        const { operation, words } = this.#writing(step.place);
        if (step.reads) await this.#assistantCalls('get_content', { ref: this.#id });
        const over = valuesReplacedBy(this.#seen.assistant, [operation]);
        const { sectionId, fields } = operation as Extract<PatchOp, { op: 'set-section' }>;
        const before = (await this.#journal()).length;
        await this.#assistantCalls('update_section', { sectionId, fields });
        const newest = (await this.#journal()).slice(before);
        for (const { id } of newest) this.#accepted.push({ changeId: id, over, words });
        return undefined;
      }
      case 'undo':
      case 'redo':
        return this.#takeBack(step.kind, step.back);
      default:
        return this.#restructure(step.kind, step.hand, step.at, step.looks);
    }
  }

  async #restructure(kind: 'add' | 'move' | 'remove', hand: Hand, at: number, looks: boolean): Promise<void> {
    if (looks) this.#seen[hand] = await this.#draft();
    const { sections } = this.#seen[hand];
    const section: Section = { id: `sec_${crypto.randomUUID().slice(0, 8)}`, type: 'text', fields: { body: 'Added' } };
    const target = sections[at % Math.max(1, sections.length)];
    if (kind === 'add') return this.#write(hand, [{ op: 'insert-section', section, index: at }], '');
    if (target === undefined) return undefined;
    const move: PatchOp = { op: 'move-section', sectionId: target.id, index: at };
    return this.#write(hand, [kind === 'move' ? move : { op: 'remove-section', sectionId: target.id }], '');
  }

  /** Undoes one of the newest standing changes, or redoes one of the undone changes. */
  async #takeBack(kind: 'undo' | 'redo', back: number): Promise<void> {
    const journal = await this.#journal();
    const standing = journal.filter(({ undoneBy, action, id }) => {
      const isOurs = kind === 'undo' ? action === 'update' : action === 'undo' && this.#isPlainUndo(id);
      return undoneBy === null && isOurs;
    });
    const change = standing.at(-1 - back) ?? standing.at(0);
    if (change === undefined) return;
    const answer = await ask('POST', '/api/content/undo', { changeId: change.id });
    expect([200, 404, 409], answer.text).toContain(answer.status);
    // What was changed in the same places since stands in its way, and nothing else: of the newest nothing does.
    if (change === journal.at(-1)) expect(answer.status).toBe(200);
    if (answer.status !== 200) return;
    const undone = z.object({ change: z.object({ id: z.string() }) }).parse(answer.json());
    this.#undid.set(undone.change.id, change.id);
  }

  #isPlainUndo(id: string): boolean {
    const target = this.#undid.get(id);
    return target !== undefined && !this.#undid.has(target);
  }

  /** Does all of the journal again and compares. */
  async check(): Promise<void> {
    const journal = await this.#journal();
    const states = new Map<string, { before: EntryDocument; after: EntryDocument }>();
    let document = this.#start;
    for (const [index, change] of journal.slice(1).entries()) {
      const before = document;
      const applied = applyOperations(before, change.operations);
      document = applied.document;
      states.set(change.id, { before, after: document });
      // What each change keeps to take it back does so, to the letter.
      expect(applyOperations(document, change.inverse).document).toEqual(before);
      const undone = states.get(this.#undid.get(change.id) ?? '');
      if (undone === undefined) this.#checkSeen(change, before, document);
      else this.#checkUndone(undone, { before, after: document }, journal[index]?.id === this.#undid.get(change.id));
    }
    expect(await this.#draft()).toEqual(document);
  }

  /** Nothing was overwritten but what its writer had seen, and every word is in the journal where it was written. */
  #checkSeen(change: ChangeSet, before: EntryDocument, after: EntryDocument): void {
    const writes = this.#accepted.filter(({ changeId }) => changeId === change.id);
    const [first] = writes;
    expect(first, change.summary).toBeDefined();
    const present = valuesReplacedBy(before, change.operations);
    for (const over of first?.over ?? []) {
      const found = present.find(({ sectionId, field }) => sectionId === over.sectionId && field === over.field);
      expect(found, change.summary).toEqual(over);
    }
    const last = writes.at(-1)?.words ?? '';
    expect(JSON.stringify(after)).toContain(last);
  }

  #checkUndone(
    undone: { readonly before: EntryDocument; readonly after: EntryDocument },
    undo: { readonly before: EntryDocument; readonly after: EntryDocument },
    isNewest: boolean,
  ): void {
    if (isNewest) expect(undo.after).toEqual(undone.before);
    for (const { id } of undo.after.sections) {
      const fields = (document: EntryDocument) => document.sections.find((section) => section.id === id)?.fields;
      for (const field of new Set([undo.before, undo.after].flatMap((each) => Object.keys(fields(each) ?? {})))) {
        const values = [undo.before, undo.after].map((each) => fields(each)?.[field]);
        if (!sameJson(values[0], values[1])) expect(values[1]).toEqual(fields(undone.before)?.[field]);
      }
    }
  }
}

it('keeps every accepted word, equals its replayed journal, and undoes exactly', async () => {
  const sequences = fc.array(arbitraryStep, { minLength: 4, maxLength: isDeep ? 40 : 12 });
  await fc.assert(
    fc.asyncProperty(sequences, async (steps) => {
      const trial = await Trial.begin();
      for (const step of steps) await trial.run(step);
      await trial.check();
    }),
    { numRuns: isDeep ? 500 : 15 },
  );
});
