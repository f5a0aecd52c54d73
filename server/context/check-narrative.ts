import { narrativeText, parseNarrative } from '#server/context/narrative';
import { shown, textOf } from '#server/context/record/record';
import type { LedgerEntry, Thing, ValueChange } from '#server/core/conversation/compactions';
import type { Message } from '#server/core/conversation/messages';
import { comparable } from '#server/core/conversation/preferences';
import type { SummarySection } from '#server/core/conversation/summary-sections';
import { differing } from '#server/core/text/differing';

/*
 * Compares what a model has written about a conversation with what code knows. Only typed facts are compared: ids,
 * addresses, numbers, titles and states. The meaning of the words is never judged.
 */

/** What a narrative is compared with. */
export interface KnownFacts {
  readonly things: readonly Thing[];
  readonly journal: readonly LedgerEntry[];
  /** Every message that the model may have read. */
  readonly messages: readonly Message[];
  /** The standing instructions, which it has read as well. */
  readonly standing: string;
  /** Changes that the model has not read. */
  readonly later: readonly LedgerEntry[];
}

/**
 * The narrative without sentences that contradict the known facts. A line of What Comes Next about something that changed
 * since is moved to Current State, with what changed.
 */
export function checkedNarrative(narrative: string, facts: KnownFacts): string {
  const checks = new FactChecks(facts);
  const sections = new Map<SummarySection, string>();
  for (const [name, text] of parseNarrative(narrative)) {
    // Quotations of the user are checked by the messages that they stand in.
    const lines = text
      .split('\n')
      .map((line) => (name === 'User Preferences' ? line : checks.withoutContradictions(line)));
    sections.set(
      name,
      lines
        .filter((line) => line !== null)
        .join('\n')
        .trim(),
    );
  }
  const next = (sections.get(NEXT) ?? '').split('\n').filter((line) => line !== '');
  const taken = next.flatMap((line) => {
    const changes = checks.changesAbout(line);
    return changes.length === 0 ? [] : [{ line, changes }];
  });
  if (taken.length > 0) {
    const since = taken.map(
      ({ line, changes }) => `${line} (since then: ${changes.map(({ summary }) => shown(summary)).join('; ')})`,
    );
    sections.set(STATE, [sections.get(STATE) ?? '', [CHANGED_SINCE, ...since].join('\n')].filter(Boolean).join('\n\n'));
    const moved = new Set(taken.map(({ line }) => line));
    sections.set(NEXT, next.filter((line) => !moved.has(line)).join('\n') || NEWEST_REQUEST);
  }
  return narrativeText([...sections].filter(([, text]) => text !== ''));
}

const STATE = 'Current State' satisfies SummarySection;
const NEXT = 'What Comes Next' satisfies SummarySection;

/** Heading of steps that were next when the narrative was written. */
const CHANGED_SINCE = 'Planned before these changes, which are newer:';
/** What comes next if nothing else does. */
export const NEWEST_REQUEST = 'Continue with the newest request of the user after this summary.';

/** What is known of a thing. */
interface KnownThing {
  /** All titles that it had, comparable. */
  readonly titles: Set<string>;
  readonly paths: Set<string>;
  state: string | null;
}

/** An id of ours: `pag_k7m2p9`. */
const ID = /(?<![\w-])[a-z]{3}_[a-z0-9]{4,32}(?![\w-])/g;
/** An address: of the web, or a path of the site. */
const ADDRESS = /https?:\/\/[^\s"'<>()[\]`]+|(?<![\w/.:<~-])\/[a-z0-9][\w/-]*/g;
/** A number of three digits or more. Smaller ones are often counted by the model itself. */
const LARGE_NUMBER = /(?<![\w.,])(?:\d{1,3}(?:[.,' ]\d{3})+|\d{3,})(?:[.,]\d{1,2})?(?!\w)/g;
/** The same, and numbers with decimals. */
const NUMBER = new RegExp(`${LARGE_NUMBER.source}|(?<![\\w.,])\\d+[.,]\\d{1,2}(?!\\w)`, 'g');
/** The mark of an excerpt, which code has written. */
const EXCERPT_MARK = /\[\.\.\. \d+ characters left out[^\]]{0,80}\]/g;
/** A word that can tell what a number is about. */
const WORD = /\p{L}{3,}/gu;
/** A title in quotation marks with its id behind it. */
const TITLE_AND_ID = /["“„«「]([^"”“„»«」「]{1,80})["”“»«」]\s*[(（]\s*([a-z]{3}_[a-z0-9]{4,32})/g;
const QUOTED = /["“„«「]([^"”“„»«」「]{1,80})["”“»«」]/g;
/** States of things, as the record names them. */
const STATES = ['draft', 'published', 'deleted'] as const;
/** A state that follows a name directly, in brackets or as a statement. */
const STATE_AFTER = new RegExp(
  `^["”“»«」)）]{0,2}[^.;:!?\\n]{0,24}?(?<![\\p{L}_-])(${STATES.join('|')})(?![\\p{L}_-])`,
  'iu',
);
/** States that each word is true of. */
const TRUE_OF: Readonly<Record<(typeof STATES)[number], readonly string[]>> = {
  draft: ['draft', 'changed'],
  published: ['published', 'changed'],
  deleted: ['deleted'],
};

/** Compares sentences with the known facts, which are read once. */
class FactChecks {
  readonly #facts: KnownFacts;
  readonly #things = new Map<string, KnownThing>();
  /** Ids by comparable title; null: several things have it. */
  readonly #byTitle = new Map<string, string | null>();
  /** Numbers that a change replaced and that were not set again, with names of what they were about. */
  readonly #replaced = new Map<string, Set<string>>();
  #texts: readonly string[] | null = null;
  #numbers: ReadonlySet<string> | null = null;

  constructor(facts: KnownFacts) {
    this.#facts = facts;
    for (const { id, kind, title, slug } of facts.journal) if (id !== kind) this.#learn(id, title, slug && `/${slug}`);
    for (const { id, kind, title, path, state } of facts.things) if (id !== kind) this.#learn(id, title, path, state);
    for (const { id, title, undone, values = [] } of facts.journal) {
      if (!undone) for (const value of values) this.#replace([id, title, value.field], value);
    }
  }

  /** Notes the numbers that a change replaced. */
  #replace(names: readonly string[], { before, after }: ValueChange): void {
    const [from, to] = differing(before, after);
    const added = numbersIn(to);
    for (const number of numbersIn(from)) {
      if (!added.includes(number)) this.#replaced.set(number, new Set([...names.map(comparable), ...wordsIn(from)]));
    }
    for (const number of added) this.#replaced.delete(number);
  }

  #learn(id: string, title: string, path: string | null, state: string | null = null): void {
    const thing = this.#things.get(id) ?? { titles: new Set(), paths: new Set(), state: null };
    this.#things.set(id, thing);
    const name = comparable(title);
    thing.titles.add(name);
    const other = this.#byTitle.get(name);
    this.#byTitle.set(name, other === undefined || other === id ? id : null);
    if (path !== null) thing.paths.add(path);
    thing.state = state ?? thing.state;
  }

  /** The line without sentences that contradict the facts; null: nothing is left of it. */
  withoutContradictions(line: string): string | null {
    const [, mark = '', text = ''] = /^(\s*(?:[-*•]|\d{1,3}[.)])?\s*)(.*)$/su.exec(line) ?? [];
    const sentences = text.split(/(?<=[.!?]["'”»)*_]{0,3})\s+(?=\p{Lu}|["“„«「*_(]|[a-z]{3}_)|(?<=[。！？])/u);
    const kept = sentences.filter((sentence) => !this.#contradicts(sentence.replaceAll(EXCERPT_MARK, '')));
    if (kept.length === sentences.length) return line;
    return kept.length === 0 ? null : `${mark}${kept.join(' ')}`;
  }

  /** The later changes of things that a line mentions by id, address or title. */
  changesAbout(line: string): LedgerEntry[] {
    const mentioned = new Set(this.#mentioned(line));
    return this.#facts.later.filter(({ id, kind }) => id !== kind && mentioned.has(id));
  }

  /** Ids of the things that a text mentions. */
  #mentioned(text: string): string[] {
    const ids = matches(ID, text).filter((id) => this.#things.has(id));
    const titles = [...text.matchAll(QUOTED)].flatMap(([, title = '']) => this.#byTitle.get(comparable(title)) ?? []);
    const paths = matches(ADDRESS, text).filter((path) => path !== '/');
    const byPath = [...this.#things].flatMap(([id, thing]) =>
      paths.some((path) => thing.paths.has(path)) ? [id] : [],
    );
    return [...new Set([...ids, ...titles, ...byPath])];
  }

  #contradicts(sentence: string): boolean {
    return (
      this.#isUnknown(matches(ID, sentence).filter((id) => !this.#things.has(id))) ||
      this.#isUnknown(
        matches(ADDRESS, sentence).filter((path) => ![...this.#things.values()].some(({ paths }) => paths.has(path))),
      ) ||
      this.#hasWrongTitle(sentence) ||
      this.#hasWrongState(sentence) ||
      this.#hasWrongNumber(sentence)
    );
  }

  /** True if one of these is nowhere in the conversation. */
  #isUnknown(names: readonly string[]): boolean {
    return names.some((name) => {
      const plain = name.replace(/[.,;:!?]+$/, '');
      return !this.#read().some((text) => text.includes(plain));
    });
  }

  #hasWrongTitle(sentence: string): boolean {
    return [...sentence.matchAll(TITLE_AND_ID)].some(([, title = '', id = '']) => {
      const thing = this.#things.get(id);
      return thing !== undefined && !thing.titles.has(comparable(title));
    });
  }

  /** Returns whether the sentence says of its only thing that it has another state. */
  #hasWrongState(sentence: string): boolean {
    const [id, ...more] = this.#mentioned(sentence);
    if (id === undefined || more.length > 0) return false;
    const state = this.#things.get(id)?.state ?? null;
    const names = [...sentence.matchAll(ID), ...sentence.matchAll(QUOTED), ...sentence.matchAll(ADDRESS)];
    return names.some((name) => {
      const [, word] = STATE_AFTER.exec(sentence.slice(name.index + name[0].length)) ?? [];
      return (
        word !== undefined && state !== null && !TRUE_OF[word.toLowerCase() as (typeof STATES)[number]].includes(state)
      );
    });
  }

  /** A number that was replaced on the site, or that nobody has mentioned. */
  #hasWrongNumber(sentence: string): boolean {
    const plain = comparable(sentence);
    const words = new Set(wordsIn(sentence));
    const isAbout = (name: string) => words.has(name) || (name.length > 3 && plain.includes(name));
    if (numbersIn(sentence).some((number) => [...(this.#replaced.get(number) ?? [])].some(isAbout))) return true;
    const large = numbersIn(sentence, LARGE_NUMBER);
    if (large.length === 0) return false;
    this.#numbers ??= new Set(this.#read().flatMap((text) => numbersIn(text)));
    return large.some((number) => !this.#numbers!.has(number));
  }

  /** All texts that the model may have read. */
  #read(): readonly string[] {
    this.#texts ??= [this.#facts.standing, ...textsOf(this.#facts.messages)];
    return this.#texts;
  }
}

const matches = (pattern: RegExp, text: string): string[] => text.match(pattern) ?? [];

/** The numbers of a text without the marks between their digits, which languages write differently. */
function numbersIn(text: string, pattern = NUMBER): string[] {
  return matches(pattern, text).map((number) => number.replaceAll(/[.,' ]/g, ''));
}

/** The words of a text, comparable. */
const wordsIn = (text: string): string[] => matches(WORD, text).map(comparable);

/** All texts of messages, also those of calls and results. */
function textsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => [
    textOf(message),
    ...message.parts.flatMap(({ type, content }) => (type === 'text' ? [] : [JSON.stringify(content)])),
  ]);
}
